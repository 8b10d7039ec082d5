#include "ccurl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "library.h"

/// The response headers that are stored, and the maximum length of their values.
static const char *const kept_names[] = {"retry-after", "date", "etag", "location", "obdgate-gateway"};
#define KEPT (sizeof kept_names / sizeof kept_names[0])
#define KEPT_LENGTH 512

struct ccurl_client {
  CURL *easy;
  CURLM *multi;
  struct curl_slist *headers;
  struct curl_slist *recipients;
  const uint8_t *mail;
  size_t mail_left;
  // Duplicates of the descriptors of a mail's sockets, each plus 1; 0 for an unused element. They are needed because
  // libcurl may close its own descriptor at any time, even without its callback for closing. The number may then refer
  // to another socket.
  int mail_sockets[16];
  char *texts[4];
  ccurl_options options;
  int is_running;
  CURLcode code;
  char reason[CURL_ERROR_SIZE];
  uint8_t *answer;
  size_t count;
  size_t room;
  size_t answer_limit;
  int is_too_long;
  int is_private;
  char kept[KEPT][KEPT_LENGTH];
};

static size_t take_body(char *bytes, size_t size, size_t count, void *context) {
  ccurl_client *client = context;
  size_t more = size * count;
  if (more > client->answer_limit - client->count) {
    client->is_too_long = 1;
    return 0;
  }
  if (client->count + more > client->room) {
    size_t room = client->room ? client->room : 4096;
    while (room < client->count + more) room *= 2;
    uint8_t *answer = realloc(client->answer, room);
    if (!answer) return 0;
    client->answer = answer;
    client->room = room;
  }
  memcpy(client->answer + client->count, bytes, more);
  client->count += more;
  return more;
}

static void forget_answer(ccurl_client *client) {
  client->count = 0;
  client->is_too_long = 0;
  for (size_t index = 0; index < KEPT; index++) client->kept[index][0] = 0;
}

static size_t take_header(char *bytes, size_t size, size_t count, void *context) {
  ccurl_client *client = context;
  size_t length = size * count;
  // This is a status line. Headers before it belong to an interim response such as "100 Continue".
  if (length >= 5 && !memcmp(bytes, "HTTP/", 5)) forget_answer(client);
  for (size_t index = 0; index < KEPT; index++) {
    size_t name = strlen(kept_names[index]);
    if (length <= name || bytes[name] != ':' || strncasecmp(bytes, kept_names[index], name)) continue;
    size_t from = name + 1, to = length;
    while (from < to && (bytes[from] == ' ' || bytes[from] == '\t')) from++;
    while (to > from && (unsigned char)bytes[to - 1] <= ' ') to--;
    // Ignore a value that is too long.
    if (to - from >= KEPT_LENGTH) continue;
    memcpy(client->kept[index], bytes + from, to - from);
    client->kept[index][to - from] = 0;
  }
  return length;
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  (void)purpose;
  ccurl_client *client = context;
  if (client->options.refuses_private && ccurl_is_private(&address->addr)) {
    client->is_private = 1;
    return CURL_SOCKET_BAD;
  }
  client->is_private = 0;
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static char *copy(const char *text) { return text ? strdup(text) : NULL; }

ccurl_client *ccurl_make(const ccurl_options *options) {
  ccurl_client *client = calloc(1, sizeof *client);
  if (!client) return NULL;
  client->options = *options;
  client->options.authorities = client->texts[0] = copy(options->authorities);
  client->options.certificate = client->texts[1] = copy(options->certificate);
  client->options.key = client->texts[2] = copy(options->key);
  client->options.proxy = client->texts[3] = copy(options->proxy);
  client->easy = ccurl_library.curl_easy_init();
  client->multi = ccurl_library.curl_multi_init();
  if (!client->easy || !client->multi) {
    ccurl_free(client);
    return NULL;
  }
  ccurl_library.curl_multi_setopt(client->multi, CURLMOPT_MAXCONNECTS, 1L);
  return client;
}

void ccurl_free(ccurl_client *client) {
  if (!client) return;
  ccurl_abandon(client);
  if (client->easy) ccurl_library.curl_easy_cleanup(client->easy);
  if (client->multi) ccurl_library.curl_multi_cleanup(client->multi);
  for (int index = 0; index < 4; index++) free(client->texts[index]);
  free(client->answer);
  free(client);
}

static void set_texts(ccurl_client *client) {
  CURL *easy = client->easy;
  const ccurl_options *options = &client->options;
  // An empty text means no proxy, even if environment variables name one.
  ccurl_library.curl_easy_setopt(easy, CURLOPT_PROXY, options->proxy ? options->proxy : "");
  ccurl_library.curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
  if (options->authorities) {
    ccurl_library.curl_easy_setopt(easy, CURLOPT_CAINFO, options->authorities);
    ccurl_library.curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
  }
  if (options->certificate) ccurl_library.curl_easy_setopt(easy, CURLOPT_SSLCERT, options->certificate);
  if (options->key) ccurl_library.curl_easy_setopt(easy, CURLOPT_SSLKEY, options->key);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  ccurl_library.curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
}

static void set_limits(ccurl_client *client) {
  CURL *easy = client->easy;
  const ccurl_options *options = &client->options;
  ccurl_library.curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  // Otherwise, cleanup would wait for the end of a slow name lookup.
  ccurl_library.curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, options->connect_limit);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, options->request_limit);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, options->slow_speed);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, options->slow_time);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  // Small buffers need less memory, and are sufficient for small responses.
  long buffer = options->buffer_bytes ? options->buffer_bytes : 16384L;
  ccurl_library.curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, buffer);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, buffer);
}

int ccurl_begin(
    ccurl_client *client, const char *url, const char *const *headers, int header_count, const void *body,
    size_t count, size_t answer_limit) {
  return ccurl_begin_method(client, NULL, url, headers, header_count, body, count, answer_limit);
}

int ccurl_begin_method(
    ccurl_client *client, const char *method, const char *url, const char *const *headers, int header_count,
    const void *body, size_t count, size_t answer_limit) {
  ccurl_abandon(client);
  client->answer_limit = answer_limit;
  forget_answer(client);
  client->reason[0] = 0;
  client->is_private = 0;
  CURL *easy = client->easy;
  ccurl_library.curl_easy_reset(easy);
  for (int index = 0; index < header_count; index++) {
    // libcurl sends headers as they are, so that a line break in a header would begin another header or request.
    for (const char *byte = headers[index]; *byte; byte++) {
      if ((unsigned char)*byte < ' ' || *byte == 127) return -EINVAL;
    }
    struct curl_slist *longer = ccurl_library.curl_slist_append(client->headers, headers[index]);
    if (!longer) return -ENOMEM;
    client->headers = longer;
  }
  set_texts(client);
  set_limits(client);
  CURLcode code = ccurl_library.curl_easy_setopt(easy, CURLOPT_URL, url);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_HTTPHEADER, client->headers);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, client->reason);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_WRITEDATA, client);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_HEADERDATA, client);
  if (client->options.refuses_private) {
    ccurl_library.curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    ccurl_library.curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, client);
  }
  if (body) {
    ccurl_library.curl_easy_setopt(easy, CURLOPT_POST, 1L);
    ccurl_library.curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
    ccurl_library.curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  }
  if (method && code == CURLE_OK) code = ccurl_library.curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
  if (code != CURLE_OK) return -EINVAL;
  if (ccurl_library.curl_multi_add_handle(client->multi, easy) != CURLM_OK) return -ENOMEM;
  client->is_running = 1;
  return 0;
}

static size_t give_mail(char *room, size_t size, size_t count, void *context) {
  ccurl_client *client = context;
  size_t piece = size * count < client->mail_left ? size * count : client->mail_left;
  memcpy(room, client->mail, piece);
  client->mail += piece;
  client->mail_left -= piece;
  return piece;
}

#define MAIL_SOCKETS (sizeof((ccurl_client *)0)->mail_sockets / sizeof(int))

static curl_socket_t open_mail_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  (void)purpose;
  ccurl_client *client = context;
  int descriptor = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  for (size_t index = 0; descriptor >= 0 && index < MAIL_SOCKETS; index++) {
    if (client->mail_sockets[index]) continue;
    int duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (duplicate < 0) break;
    client->mail_sockets[index] = duplicate + 1;
    return descriptor;
  }
  // A socket that could not be shut down must not be used.
  if (descriptor >= 0) close(descriptor);
  return CURL_SOCKET_BAD;
}

int ccurl_begin_mail(
    ccurl_client *client, const char *url, const char *from, const char *to, const char *user, const char *password,
    int requires_tls, const void *message, size_t count) {
  ccurl_abandon(client);
  client->answer_limit = 65536;
  forget_answer(client);
  client->reason[0] = 0;
  client->mail = message;
  client->mail_left = count;
  CURL *easy = client->easy;
  ccurl_library.curl_easy_reset(easy);
  client->recipients = ccurl_library.curl_slist_append(NULL, to);
  if (!client->recipients) return -ENOMEM;
  set_texts(client);
  set_limits(client);
  CURLcode code = ccurl_library.curl_easy_setopt(easy, CURLOPT_URL, url);
  if (code == CURLE_OK) code = ccurl_library.curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  ccurl_library.curl_easy_setopt(easy, CURLOPT_USE_SSL, requires_tls ? (long)CURLUSESSL_ALL : (long)CURLUSESSL_NONE);
  if (user) ccurl_library.curl_easy_setopt(easy, CURLOPT_USERNAME, user);
  if (password) ccurl_library.curl_easy_setopt(easy, CURLOPT_PASSWORD, password);
  // Closing a connection waits for the server's answer. This time limit does not apply to connections that are kept
  // open.
  ccurl_library.curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_SERVER_RESPONSE_TIMEOUT, 30L);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_mail_socket);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, client);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_MAIL_FROM, from);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_MAIL_RCPT, client->recipients);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)count);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_READFUNCTION, give_mail);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_READDATA, client);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, client->reason);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
  ccurl_library.curl_easy_setopt(easy, CURLOPT_WRITEDATA, client);
  if (code != CURLE_OK) return -EINVAL;
  if (ccurl_library.curl_multi_add_handle(client->multi, easy) != CURLM_OK) return -ENOMEM;
  client->is_running = 1;
  return 0;
}

static void end_request(ccurl_client *client) {
  if (client->is_running && client->recipients)
    ccurl_library.curl_easy_setopt(client->easy, CURLOPT_SERVER_RESPONSE_TIMEOUT, 1L);
  if (client->is_running) ccurl_library.curl_multi_remove_handle(client->multi, client->easy);
  client->is_running = 0;
  for (size_t index = 0; index < MAIL_SOCKETS; index++) {
    if (client->mail_sockets[index]) close(client->mail_sockets[index] - 1);
    client->mail_sockets[index] = 0;
  }
  // The request refers to the list of headers until another list is set.
  if (client->easy) ccurl_library.curl_easy_setopt(client->easy, CURLOPT_HTTPHEADER, NULL);
  ccurl_library.curl_slist_free_all(client->headers);
  client->headers = NULL;
  if (client->recipients) ccurl_library.curl_easy_setopt(client->easy, CURLOPT_MAIL_RCPT, NULL);
  ccurl_library.curl_slist_free_all(client->recipients);
  client->recipients = NULL;
}

void ccurl_abandon(ccurl_client *client) {
  // If a mail is interrupted, libcurl still sends the line that marks the end of a complete mail. The server would then
  // deliver a part of the mail, or an empty one. Therefore, end the connection first.
  if (client->is_running && client->recipients)
    for (size_t index = 0; index < MAIL_SOCKETS; index++)
      if (client->mail_sockets[index]) shutdown(client->mail_sockets[index] - 1, SHUT_RDWR);
  end_request(client);
}

int ccurl_continue(ccurl_client *client) {
  int running = 0;
  if (ccurl_library.curl_multi_perform(client->multi, &running) != CURLM_OK) return -EIO;
  int left = 0;
  CURLMsg *message;
  while ((message = ccurl_library.curl_multi_info_read(client->multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    client->code = message->data.result;
    end_request(client);
    return 1;
  }
  return 0;
}

int ccurl_wait(ccurl_client *client, int descriptor, int milliseconds) {
  struct curl_waitfd extra = {descriptor, CURL_WAIT_POLLIN, 0};
  int ready = 0;
  return ccurl_library.curl_multi_poll(client->multi, &extra, 1, milliseconds, &ready) == CURLM_OK ? 0 : -EIO;
}

ccurl_end ccurl_result(const ccurl_client *client) {
  if (client->is_too_long) return ccurl_too_long;
  if (client->is_private && client->code != CURLE_OK) return ccurl_private;
  switch (client->code) {
    case CURLE_OK: return ccurl_done;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT: return ccurl_unreachable;
    case CURLE_OPERATION_TIMEDOUT: return ccurl_timed_out;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS: return ccurl_certificate;
    case CURLE_SSL_CACERT_BADFILE: return ccurl_authorities;
    case CURLE_SSL_CERTPROBLEM: return ccurl_own_certificate;
    case CURLE_SSL_CONNECT_ERROR: return ccurl_handshake;
    case CURLE_USE_SSL_FAILED: return ccurl_no_tls;
    case CURLE_LOGIN_DENIED: return ccurl_login_refused;
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR: return ccurl_cut;
    default: return ccurl_other;
  }
}

const char *ccurl_reason(const ccurl_client *client) {
  return client->reason[0] ? client->reason : ccurl_library.curl_easy_strerror(client->code);
}

int ccurl_has_sent(const ccurl_client *client) {
  long bytes = 0;
  // If libcurl does not report how many bytes were sent, assume that some were.
  return ccurl_library.curl_easy_getinfo(client->easy, CURLINFO_REQUEST_SIZE, &bytes) != CURLE_OK || bytes > 0;
}

long ccurl_status(const ccurl_client *client) {
  long status = 0;
  ccurl_library.curl_easy_getinfo(client->easy, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

const uint8_t *ccurl_answer(const ccurl_client *client, size_t *count) {
  *count = client->count;
  return client->answer;
}

void ccurl_forget_answer(ccurl_client *client) {
  free(client->answer);
  client->answer = NULL;
  client->count = client->room = 0;
}

const char *ccurl_header(const ccurl_client *client, const char *name) {
  for (size_t index = 0; index < KEPT; index++)
    if (!strcmp(kept_names[index], name)) return client->kept[index];
  return "";
}
