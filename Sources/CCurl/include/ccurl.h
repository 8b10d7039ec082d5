// The part of libcurl that one HTTP request at a time needs, opened at run time, its variadic calls with fixed
// signatures. libcurl's own documentation says what each means.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct ccurl_client ccurl_client;

/// Opens libcurl.so.4 once and sets it up; 0, or -ENOSYS where it is not installed or lacks something. Safe from several
/// threads.
int ccurl_load(void);
/// Its own name: `libcurl/7.88.1`; "" before it is open.
const char *ccurl_version(void);

/// How a client speaks to its server. Texts may be NULL: not used.
typedef struct {
  /// PEM files: authorities in place of the system's, our certificate, its key.
  const char *authorities;
  const char *certificate;
  const char *key;
  /// NULL: none, whatever the environment says.
  const char *proxy;
  /// Milliseconds until a connection stands, TLS included.
  long connect_limit;
  /// Milliseconds for a whole request.
  long request_limit;
  /// Fewer bytes a second than `slow_speed` for `slow_time` seconds end a request.
  long slow_speed;
  long slow_time;
} ccurl_options;

/// A client that keeps its connection from one request to the next; NULL without memory. One thread has it.
ccurl_client *ccurl_make(const ccurl_options *options);
void ccurl_free(ccurl_client *client);

/// Begins a request. `body` must stay until it is over; NULL: GET. A header is `Name: value`. Of an answer no more than
/// `answer_limit` bytes are taken.
int ccurl_begin(
    ccurl_client *client, const char *url, const char *const *headers, int header_count, const void *body,
    size_t count, size_t answer_limit);
/// Goes on with it. 1: it is over. 0: not yet. Negative: the library failed.
int ccurl_continue(ccurl_client *client);
/// Waits until there is something to go on with, until `descriptor` is readable, or so many milliseconds.
int ccurl_wait(ccurl_client *client, int descriptor, int milliseconds);
/// Ends it where it is.
void ccurl_abandon(ccurl_client *client);

/// How a request ended.
typedef enum {
  ccurl_done,
  ccurl_unreachable,
  ccurl_timed_out,
  ccurl_certificate,
  // Files of ours: authorities, our certificate or its key.
  ccurl_authorities,
  ccurl_own_certificate,
  // No TLS came about, whosever fault it is.
  ccurl_handshake,
  ccurl_cut,
  ccurl_too_long,
  ccurl_other
} ccurl_end;

ccurl_end ccurl_result(const ccurl_client *client);
/// Whether any byte of the last request has left: not where there was no connection, or none with TLS.
int ccurl_has_sent(const ccurl_client *client);
/// The library's words for it.
const char *ccurl_reason(const ccurl_client *client);
/// Of the answer: its status, 0 without one.
long ccurl_status(const ccurl_client *client);
/// Its bytes.
const uint8_t *ccurl_answer(const ccurl_client *client, size_t *count);
/// A header of it, "" where it has none: `retry-after`, `date`, `etag`, `location`, `obdgate-gateway`.
const char *ccurl_header(const ccurl_client *client, const char *name);

/// Lets go of the pages of libraries that cannot have changed, their code and constants: the kernel reads them anew from
/// the page cache, a few at a time, when they are used next. Some thirty libraries come with an upload, and most of what
/// it touches in them is touched by the next one minutes later. Any thread may call it, whatever the others do.
void ccurl_give_back_pages(void);
