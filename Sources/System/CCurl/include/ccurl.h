// The part of libcurl that is needed for one HTTP request or one mail at a time. The library is loaded at run time. Its
// functions with a variable number of arguments are declared here with fixed arguments. See libcurl's documentation for
// details.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct ccurl_client ccurl_client;

/// Loads and initializes libcurl.so.4 once. Returns 0, or -ENOSYS if it is missing or lacks a function. Thread-safe.
int ccurl_load(void);

/// Returns 1 if an IPv4 or IPv6 address, given as text, does not belong to the public Internet (RFC 6890), otherwise 0;
/// -1 if the text is not an address. It does not need ccurl_load.
int ccurl_is_private_text(const char *text);
/// Returns the library's name and version, such as `libcurl/7.88.1`; "" if it is not loaded.
const char *ccurl_version(void);

/// Options of a client. A text that is not used is NULL.
typedef struct {
  /// Path of a PEM file with the certificates of authorities that replace those of the system.
  const char *authorities;
  /// Path of a PEM file with the client certificate.
  const char *certificate;
  /// Path of a PEM file with the private key of the client certificate.
  const char *key;
  /// URL of the proxy; NULL for no proxy, even if environment variables name one.
  const char *proxy;
  /// Time limit for connecting including the TLS handshake, ms.
  long connect_limit;
  /// Time limit for a whole request, ms.
  long request_limit;
  /// Minimum speed in bytes per second. A request fails if it is slower than this for `slow_time` seconds.
  long slow_speed;
  /// Time in seconds for which a request may be slower than `slow_speed`.
  long slow_time;
  /// Size of the buffers for sending and receiving, bytes; 0 for 16 KiB.
  long buffer_bytes;
  /// Not 0 to refuse connections to this machine and to private networks, whatever name leads there.
  int refuses_private;
} ccurl_options;

/// Creates a client, which keeps its connection open for later requests. Only one thread may use it at a time. Returns
/// NULL if there is no memory.
ccurl_client *ccurl_make(const ccurl_options *options);
void ccurl_free(ccurl_client *client);

/// Begins a request. `body` must remain valid until the request ends; NULL begins a GET request. Each header has the
/// form `Name: value`. A response with a body of more than `answer_limit` bytes is an error. Returns 0, or a negative
/// number if the library fails.
int ccurl_begin(
    ccurl_client *client, const char *url, const char *const *headers, int header_count, const void *body,
    size_t count, size_t answer_limit);
/// Begins a request like `ccurl_begin`, but with any method, such as PUT or DELETE. If `body` is NULL, the request has
/// no body.
int ccurl_begin_method(
    ccurl_client *client, const char *method, const char *url, const char *const *headers, int header_count,
    const void *body, size_t count, size_t answer_limit);
/// Begins to send a mail. The URL is `smtps://HOST:PORT`, or `smtp://HOST:PORT`. The latter changes to TLS with
/// STARTTLS if `requires_tls` is not 0. `user` and `password` are NULL if the server needs no login. `message` must
/// remain valid until the request ends. Returns 0, or a negative number if the library fails.
int ccurl_begin_mail(
    ccurl_client *client, const char *url, const char *from, const char *to, const char *user, const char *password,
    int requires_tls, const void *message, size_t count);
/// Continues the request. Returns 1 if the request has ended, 0 if not, and a negative number if the library fails.
int ccurl_continue(ccurl_client *client);
/// Waits until the request can continue or `descriptor` is readable, at most `milliseconds`.
int ccurl_wait(ccurl_client *client, int descriptor, int milliseconds);
/// Cancels the request.
void ccurl_abandon(ccurl_client *client);

/// How a request ended.
typedef enum {
  ccurl_done,
  ccurl_unreachable,
  ccurl_timed_out,
  ccurl_certificate,
  // A local file cannot be used: certificates of authorities, the client certificate or its private key.
  ccurl_authorities,
  ccurl_own_certificate,
  // The TLS handshake failed.
  ccurl_handshake,
  ccurl_cut,
  ccurl_too_long,
  // The address is that of this machine or of a private network, which `refuses_private` does not allow.
  ccurl_private,
  // A mail server does not offer TLS, or rejects the user name or password.
  ccurl_no_tls,
  ccurl_login_refused,
  ccurl_other
} ccurl_end;

ccurl_end ccurl_result(const ccurl_client *client);
/// Returns whether any byte of the last request was sent. None was sent if connecting or the TLS handshake failed.
int ccurl_has_sent(const ccurl_client *client);
/// Returns the library's message about how the last request ended.
const char *ccurl_reason(const ccurl_client *client);
/// Returns the HTTP status of the response, or the last reply code of a mail server; 0 if there is none.
long ccurl_status(const ccurl_client *client);
/// Returns the body of the response.
const uint8_t *ccurl_answer(const ccurl_client *client, size_t *count);
/// Releases the memory of the response's body.
void ccurl_forget_answer(ccurl_client *client);
/// Returns the value of a response header, or "" if it is missing. The name must be `retry-after`, `date`, `etag`,
/// `location` or `obdgate-gateway`.
const char *ccurl_header(const ccurl_client *client, const char *name);

/// Releases the memory pages of loaded libraries that cannot have changed: code and constants. When such a page is used
/// again, the kernel maps it again from the page cache. An upload uses about 30 libraries, but most of their pages are
/// not needed again before the next upload, minutes later. Thread-safe.
void ccurl_give_back_pages(void);
