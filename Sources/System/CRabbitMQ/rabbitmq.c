#include "library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define CHANNEL 1

/// The part of an incoming message that is expected next.
typedef enum { awaits_method, awaits_header, awaits_body } stage;

struct crabbitmq_client {
  amqp_connection_state_t state;
  int is_open;
  size_t limit;
  stage stage;
  crabbitmq_event event;
  char *routing_key;
  uint8_t *body;
  size_t room;
  size_t expected;
  size_t received;
  char reason[256];
};

static int failed(crabbitmq_client *client, const char *what, const char *why) {
  snprintf(client->reason, sizeof client->reason, "%s: %s", what, why);
  return -1;
}

static int failed_with(crabbitmq_client *client, const char *what, int code) {
  return failed(client, what, library.amqp_error_string2(code));
}

static void close_text(crabbitmq_client *client, const char *what, int code, amqp_bytes_t text) {
  int count = text.len > 180 ? 180 : (int)text.len;
  snprintf(client->reason, sizeof client->reason, "%s: %d %.*s", what, code, count, (const char *)text.bytes);
}

/// Checks the broker's answer to a request. Returns 0 if the broker has executed the request, otherwise -1.
static int checked(crabbitmq_client *client, const char *what, amqp_rpc_reply_t reply) {
  switch (reply.reply_type) {
  case AMQP_RESPONSE_NORMAL: return 0;
  case AMQP_RESPONSE_LIBRARY_EXCEPTION: return failed_with(client, what, reply.library_error);
  case AMQP_RESPONSE_SERVER_EXCEPTION:
    if (reply.reply.id == AMQP_CONNECTION_CLOSE_METHOD) {
      amqp_connection_close_t *closed = reply.reply.decoded;
      close_text(client, what, closed->reply_code, closed->reply_text);
    } else if (reply.reply.id == AMQP_CHANNEL_CLOSE_METHOD) {
      amqp_channel_close_t *closed = reply.reply.decoded;
      close_text(client, what, closed->reply_code, closed->reply_text);
    } else {
      return failed(client, what, "refused");
    }
    return -1;
  default: return failed(client, what, "no answer");
  }
}

crabbitmq_client *crabbitmq_make(void) { return calloc(1, sizeof(crabbitmq_client)); }

void crabbitmq_free(crabbitmq_client *client) {
  if (!client) return;
  if (client->state) library.amqp_destroy_connection(client->state);
  free(client->routing_key);
  free(client->body);
  free(client);
}

void crabbitmq_say_goodbye(crabbitmq_client *client) {
  if (!client->is_open) return;
  client->is_open = 0;
  struct timeval limit = {1, 0};
  library.amqp_set_rpc_timeout(client->state, &limit);
  library.amqp_connection_close(client->state, AMQP_REPLY_SUCCESS);
}

static amqp_socket_t *make_socket(crabbitmq_client *client, const crabbitmq_options *options) {
  if (!options->uses_tls) return library.amqp_tcp_socket_new(client->state);
  amqp_socket_t *socket = library.amqp_ssl_socket_new(client->state);
  if (!socket) return NULL;
  library.amqp_ssl_socket_set_verify_peer(socket, 1);
  library.amqp_ssl_socket_set_verify_hostname(socket, 1);
  library.amqp_ssl_socket_set_ssl_versions(socket, AMQP_TLSv1_2, AMQP_TLSvLATEST);
  if (library.amqp_ssl_socket_set_cacert(socket, options->authorities) != AMQP_STATUS_OK) {
    failed(client, options->authorities, "no certificates of authorities can be read from it");
    return NULL;
  }
  if (options->certificate &&
      library.amqp_ssl_socket_set_key(socket, options->certificate, options->key) != AMQP_STATUS_OK) {
    failed(client, options->certificate, "it and its key cannot be used");
    return NULL;
  }
  return socket;
}

int crabbitmq_connect(crabbitmq_client *client, const crabbitmq_options *options) {
  client->state = library.amqp_new_connection();
  if (!client->state) return failed(client, "connect", "no memory");
  failed(client, "connect", "no socket");
  amqp_socket_t *socket = make_socket(client, options);
  if (!socket) return -1;
  struct timeval limit = {options->answer_limit, 0};
  library.amqp_set_handshake_timeout(client->state, &limit);
  library.amqp_set_rpc_timeout(client->state, &limit);
  int code = library.amqp_socket_open_noblock(socket, options->host, options->port, &limit);
  if (code != AMQP_STATUS_OK) return failed_with(client, "connect", code);
  amqp_rpc_reply_t reply = library.amqp_login(
      client->state, options->virtual_host, 1, 131072, options->heartbeat, AMQP_SASL_METHOD_PLAIN, options->user,
      options->password);
  // With this answer, the broker reports an unknown user, or a virtual host that the user may not access.
  if (checked(client, "log in", reply)) return -1;
  client->is_open = 1;
  library.amqp_channel_open(client->state, CHANNEL);
  return checked(client, "channel", library.amqp_get_rpc_reply(client->state));
}

static amqp_bytes_t bytes(const char *text) { return (amqp_bytes_t){strlen(text), (void *)text}; }

static amqp_table_entry_t entry(const char *key, const char *text) {
  amqp_table_entry_t made = {bytes(key), {0}};
  made.value.kind = AMQP_FIELD_KIND_UTF8;
  made.value.value.bytes = bytes(text);
  return made;
}

static int declare(crabbitmq_client *client, const char *queue, amqp_table_entry_t *entries, int count) {
  char what[200];
  snprintf(what, sizeof what, "declare %.180s", queue);
  amqp_table_t arguments = {count, entries};
  library.amqp_queue_declare(client->state, CHANNEL, bytes(queue), 0, 1, 0, 0, arguments);
  return checked(client, what, library.amqp_get_rpc_reply(client->state));
}

int crabbitmq_consume(crabbitmq_client *client, const crabbitmq_subscription *subscription) {
  client->limit = subscription->message_limit;
  const amqp_table_t none = {0, NULL};
  amqp_table_entry_t entries[5] = {
      entry("x-queue-type", "quorum"), entry("x-dead-letter-exchange", ""),
      entry("x-dead-letter-routing-key", subscription->refused_queue),
      // A rejected message leaves its queue only after it has reached the queue for rejected messages. A full queue
      // rejects new messages.
      entry("x-dead-letter-strategy", "at-least-once"), entry("x-overflow", "reject-publish")};
  if (declare(client, subscription->refused_queue, entries, 1)) return -1;
  if (declare(client, subscription->queue, entries, 5)) return -1;
  library.amqp_queue_bind(
      client->state, CHANNEL, bytes(subscription->queue), bytes(subscription->exchange),
      bytes(subscription->routing_key), none);
  if (checked(client, "bind", library.amqp_get_rpc_reply(client->state))) return -1;
  library.amqp_basic_qos(client->state, CHANNEL, 0, subscription->prefetch, 0);
  if (checked(client, "prefetch", library.amqp_get_rpc_reply(client->state))) return -1;
  library.amqp_basic_consume(client->state, CHANNEL, bytes(subscription->queue), bytes(""), 0, 0, 0, none);
  return checked(client, "consume", library.amqp_get_rpc_reply(client->state));
}

int crabbitmq_socket(const crabbitmq_client *client) {
  return client->state ? library.amqp_get_sockfd(client->state) : -1;
}

int crabbitmq_has_buffered(const crabbitmq_client *client) {
  return library.amqp_frames_enqueued(client->state) || library.amqp_data_in_buffer(client->state);
}

/// Processes a frame that contains a method. Returns 0 to continue, or -1 if the connection has ended.
static int take_method(crabbitmq_client *client, const amqp_method_t *method) {
  switch (method->id) {
  case AMQP_BASIC_DELIVER_METHOD: {
    amqp_basic_deliver_t *delivery = method->decoded;
    client->event.tag = delivery->delivery_tag;
    client->event.is_redelivered = delivery->redelivered;
    client->event.routing_key_count = delivery->routing_key.len;
    free(client->routing_key);
    client->routing_key = malloc(delivery->routing_key.len + 1);
    if (!client->routing_key) return failed(client, "message", "no memory");
    memcpy(client->routing_key, delivery->routing_key.bytes, delivery->routing_key.len);
    client->stage = awaits_header;
    return 0;
  }
  case AMQP_CHANNEL_CLOSE_METHOD: {
    amqp_channel_close_t *closed = method->decoded;
    close_text(client, "the broker closed the channel", closed->reply_code, closed->reply_text);
    return -1;
  }
  case AMQP_CONNECTION_CLOSE_METHOD: {
    amqp_connection_close_t *closed = method->decoded;
    close_text(client, "the broker closed the connection", closed->reply_code, closed->reply_text);
    return -1;
  }
  case AMQP_BASIC_CANCEL_METHOD: return failed(client, "the broker", "the queue is gone, or has lost its leader");
  default: return 0;
  }
}

static int take_header(crabbitmq_client *client, uint64_t count) {
  client->expected = count;
  client->received = 0;
  client->stage = awaits_body;
  if (count <= client->limit && count > client->room) {
    uint8_t *body = realloc(client->body, count);
    if (!body) return failed(client, "message", "no memory");
    client->body = body;
    client->room = count;
  }
  return 0;
}

static int take(crabbitmq_client *client, const amqp_frame_t *frame) {
  if (frame->frame_type == AMQP_FRAME_METHOD) return take_method(client, &frame->payload.method);
  if (frame->frame_type == AMQP_FRAME_HEADER && client->stage == awaits_header)
    return take_header(client, frame->payload.properties.body_size);
  if (frame->frame_type == AMQP_FRAME_BODY && client->stage == awaits_body) {
    amqp_bytes_t part = frame->payload.body_fragment;
    if (part.len > client->expected - client->received) return failed(client, "message", "longer than its header says");
    if (client->expected <= client->limit) memcpy(client->body + client->received, part.bytes, part.len);
    client->received += part.len;
  }
  return 0;
}

crabbitmq_event crabbitmq_next(crabbitmq_client *client) {
  const crabbitmq_event none = {.kind = crabbitmq_none}, lost = {.kind = crabbitmq_lost};
  while (1) {
    struct timeval now = {0, 0};
    amqp_frame_t frame;
    int code = library.amqp_simple_wait_frame_noblock(client->state, &frame, &now);
    if (code == AMQP_STATUS_TIMEOUT) return none;
    if (code != AMQP_STATUS_OK) {
      client->is_open = 0;
      failed_with(client, "connection", code);
      return lost;
    }
    if (take(client, &frame)) {
      client->is_open = 0;
      return lost;
    }
    library.amqp_maybe_release_buffers_on_channel(client->state, CHANNEL);
    if (client->stage != awaits_body || client->received < client->expected) continue;
    client->stage = awaits_method;
    client->event.kind = client->expected <= client->limit ? crabbitmq_delivery : crabbitmq_oversized;
    client->event.routing_key = client->routing_key;
    client->event.body = client->body;
    client->event.count = client->expected;
    return client->event;
  }
}

static int sent(crabbitmq_client *client, int code) {
  if (code == AMQP_STATUS_OK) return 0;
  client->is_open = 0;
  return failed_with(client, "acknowledge", code);
}

int crabbitmq_acknowledge(crabbitmq_client *client, uint64_t tag, int and_all_before) {
  return sent(client, library.amqp_basic_ack(client->state, CHANNEL, tag, and_all_before));
}

int crabbitmq_reject(crabbitmq_client *client, uint64_t tag, int requeues) {
  return sent(client, library.amqp_basic_reject(client->state, CHANNEL, tag, requeues));
}

int crabbitmq_beat(crabbitmq_client *client) {
  amqp_frame_t frame = {.frame_type = AMQP_FRAME_HEARTBEAT, .channel = 0};
  return sent(client, library.amqp_send_frame(client->state, &frame));
}

const char *crabbitmq_reason(const crabbitmq_client *client) { return client->reason; }
