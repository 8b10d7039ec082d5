// The part of libcurl for one HTTP request or one mail at a time, loaded at run time. Variadic functions have fixed signatures. See
// libcurl's documentation for the meaning of each function.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct ccurl_client ccurl_client;

/// Loads and initializes libcurl.so.4 once. Returns 0, or -ENOSYS if it is missing or lacks a function. Thread-safe.
int ccurl_load(void);
/// Returns the library's name and version, such as `libcurl/7.88.1`; "" before it is loaded.
const char *ccurl_version(void);

/// Options of a client. A text is NULL if it is not used.
typedef struct {
  /// PEM files: authorities that replace the system's, the client certificate, its key.
  const char *authorities;
  const char *certificate;
  const char *key;
  /// URL of the proxy; NULL for none, even if the environment names one.
  const char *proxy;
  /// Time limit for the connection including TLS, ms.
  long connect_limit;
  /// Time limit for a request, ms.
  long request_limit;
  /// A request fails if it transfers less than `slow_speed` bytes per second for `slow_time` seconds.
  long slow_speed;
  long slow_time;
} ccurl_options;

/// Creates a client that reuses its connection for later requests, for use by one thread; NULL without memory.
ccurl_client *ccurl_make(const ccurl_options *options);
void ccurl_free(ccurl_client *client);

/// Begins a request. `body` must remain valid until it ends; NULL for GET. Each header is `Name: value`. At most
/// `answer_limit` bytes of the response are accepted. Returns 0 or a negative number.
int ccurl_begin(
    ccurl_client *client, const char *url, const char *const *headers, int header_count, const void *body,
    size_t count, size_t answer_limit);
/// Begins to send a mail. The URL is `smtps://HOST:PORT`, or `smtp://HOST:PORT`, which changes to TLS by STARTTLS if
/// `requires_tls` is not 0. `user` and `password` are NULL for no login. `message` must remain valid until the end.
/// Returns 0 or a negative number.
int ccurl_begin_mail(
    ccurl_client *client, const char *url, const char *from, const char *to, const char *user, const char *password,
    int requires_tls, const void *message, size_t count);
/// Continues the request. Returns 1 if it has ended, 0 if not, or a negative number if the library fails.
int ccurl_continue(ccurl_client *client);
/// Waits until the request can continue, until `descriptor` is readable, or for `milliseconds`.
int ccurl_wait(ccurl_client *client, int descriptor, int milliseconds);
/// Cancels the request.
void ccurl_abandon(ccurl_client *client);

/// The result of a request.
typedef enum {
  ccurl_done,
  ccurl_unreachable,
  ccurl_timed_out,
  ccurl_certificate,
  // Local files: authorities, the client certificate or its key.
  ccurl_authorities,
  ccurl_own_certificate,
  // The TLS handshake failed.
  ccurl_handshake,
  ccurl_cut,
  ccurl_too_long,
  // A mail server offers no TLS, or refuses the user or password.
  ccurl_no_tls,
  ccurl_login_refused,
  ccurl_other
} ccurl_end;

ccurl_end ccurl_result(const ccurl_client *client);
/// Returns whether any byte of the last request was sent. None is sent without a connection or TLS handshake.
int ccurl_has_sent(const ccurl_client *client);
/// Returns the library's message for the result.
const char *ccurl_reason(const ccurl_client *client);
/// Returns the status of the response, or the last code of a mail server; 0 if there is none.
long ccurl_status(const ccurl_client *client);
/// Returns the body of the response.
const uint8_t *ccurl_answer(const ccurl_client *client, size_t *count);
/// Returns a header of the response, or "" if it is missing: `retry-after`, `date`, `etag`, `location`,
/// `obdgate-gateway`.
const char *ccurl_header(const ccurl_client *client, const char *name);

/// Releases the pages of libraries that cannot have changed: code and constants. When they are used again, the kernel
/// maps them from the page cache. An upload uses about 30 libraries, but most of their pages are needed again only
/// minutes later, by the next upload. Thread-safe.
void ccurl_give_back_pages(void);
