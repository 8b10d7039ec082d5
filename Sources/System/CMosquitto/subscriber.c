#include "library.h"
#include "cmosquitto_subscriber.h"

#include <stdlib.h>
#include <string.h>

/// An event in the queue. In memory, the topic and payload of its message follow it.
typedef struct node {
  struct node *next;
  cmosquitto_subscriber_event event;
  uint8_t bytes[];
} node;

struct cmosquitto_subscriber {
  struct mosquitto *mosquitto;
  node *first;
  node **end;
  /// The event that was returned last. The caller may still use its bytes.
  node *taken;
  /// Whether there was no memory for an event. The connection then fails, so that the message, which was not read, is
  /// not acknowledged.
  int is_broken;
  size_t limit;
  /// Number of payload bytes that were stored since the current read began.
  size_t kept;
  int may_have_more;
};

static void note(cmosquitto_subscriber *subscriber, cmosquitto_subscriber_event event) {
  size_t topic = event.topic ? strlen(event.topic) + 1 : 0;
  size_t kept = event.count <= subscriber->limit ? event.count : 0;
  node *made = malloc(sizeof *made + topic + kept);
  if (!made) {
    subscriber->is_broken = 1;
    return;
  }
  made->next = NULL;
  made->event = event;
  if (topic) {
    memcpy(made->bytes, event.topic, topic);
    made->event.topic = (const char *)made->bytes;
  }
  if (kept) memcpy(made->bytes + topic, event.payload, kept);
  subscriber->kept += kept;
  made->event.payload = made->bytes + topic;
  *subscriber->end = made;
  subscriber->end = &made->next;
}

static void connected(struct mosquitto *mosquitto, void *context, int reason, int flags, const mosquitto_property *list) {
  (void)mosquitto;
  (void)flags;
  (void)list;
  note(context, (cmosquitto_subscriber_event){.kind = cmosquitto_subscriber_connected, .reason = reason});
}

static void disconnected(struct mosquitto *mosquitto, void *context, int reason, const mosquitto_property *list) {
  (void)mosquitto;
  (void)list;
  note(context, (cmosquitto_subscriber_event){.kind = cmosquitto_subscriber_disconnected, .reason = reason});
}

static void subscribed(
    struct mosquitto *mosquitto, void *context, int number, int count, const int *granted,
    const mosquitto_property *list) {
  (void)mosquitto;
  (void)number;
  (void)list;
  note(context, (cmosquitto_subscriber_event){
      .kind = cmosquitto_subscriber_subscribed, .reason = count == 1 ? granted[0] : 0x80});
}

static void came(
    struct mosquitto *mosquitto, void *context, const struct mosquitto_message *message,
    const mosquitto_property *list) {
  (void)mosquitto;
  (void)list;
  note(context, (cmosquitto_subscriber_event){
      .kind = cmosquitto_subscriber_message, .topic = message->topic, .payload = message->payload,
      .count = (size_t)message->payloadlen});
}

cmosquitto_subscriber *cmosquitto_subscriber_make(
    const cmosquitto_options *options, int receive_maximum, size_t message_limit, int *code) {
  *code = MOSQ_ERR_NOMEM;
  cmosquitto_subscriber *subscriber = calloc(1, sizeof *subscriber);
  if (!subscriber) return NULL;
  subscriber->end = &subscriber->first;
  subscriber->limit = message_limit;
  subscriber->mosquitto = library.mosquitto_new(options->client_id, false, subscriber);
  if (subscriber->mosquitto) {
    *code = cmosquitto_set_up(subscriber->mosquitto, options);
    if (!*code)
      *code = library.mosquitto_int_option(subscriber->mosquitto, MOSQ_OPT_RECEIVE_MAXIMUM, receive_maximum);
    // Tell the library that another thread writes. It then only queues its answers, instead of sending them.
    if (!*code) *code = library.mosquitto_threaded_set(subscriber->mosquitto, true);
  }
  if (*code) {
    cmosquitto_subscriber_free(subscriber);
    return NULL;
  }
  library.mosquitto_connect_v5_callback_set(subscriber->mosquitto, connected);
  library.mosquitto_disconnect_v5_callback_set(subscriber->mosquitto, disconnected);
  library.mosquitto_subscribe_v5_callback_set(subscriber->mosquitto, subscribed);
  library.mosquitto_message_v5_callback_set(subscriber->mosquitto, came);
  return subscriber;
}

void cmosquitto_subscriber_free(cmosquitto_subscriber *subscriber) {
  if (!subscriber) return;
  if (subscriber->mosquitto) library.mosquitto_destroy(subscriber->mosquitto);
  free(subscriber->taken);
  while (subscriber->first) {
    node *next = subscriber->first->next;
    free(subscriber->first);
    subscriber->first = next;
  }
  free(subscriber);
}

int cmosquitto_subscriber_connect(
    cmosquitto_subscriber *subscriber, const char *host, int port, int keep_alive, uint32_t session_seconds) {
  mosquitto_property *list = NULL;
  int code = library.mosquitto_property_add_int32(&list, MQTT_PROP_SESSION_EXPIRY_INTERVAL, session_seconds);
  if (!code) code = library.mosquitto_connect_bind_v5(subscriber->mosquitto, host, port, keep_alive, NULL, list);
  library.mosquitto_property_free_all(&list);
  return code;
}

int cmosquitto_subscriber_subscribe(cmosquitto_subscriber *subscriber, const char *topic) {
  return library.mosquitto_subscribe(subscriber->mosquitto, NULL, topic, 1);
}

int cmosquitto_subscriber_socket(const cmosquitto_subscriber *subscriber) {
  return library.mosquitto_socket(subscriber->mosquitto);
}

int cmosquitto_subscriber_wants_write(const cmosquitto_subscriber *subscriber) {
  return library.mosquitto_want_write(subscriber->mosquitto) ||
         cmosquitto_is_connecting(cmosquitto_subscriber_socket(subscriber));
}

int cmosquitto_subscriber_read(cmosquitto_subscriber *subscriber, size_t room) {
  int code;
  subscriber->kept = 0;
  // This is more than the broker may deliver without an acknowledgement. Messages with QoS 0 have no limit, so further
  // ones are read later.
  int left = 4096;
  node **before;
  // TLS may have buffered received packets that poll(2) does not report.
  do {
    before = subscriber->end;
    code = library.mosquitto_loop_read(subscriber->mosquitto, 1);
    subscriber->may_have_more = subscriber->end != before;
  } while (!code && subscriber->may_have_more && --left > 0 && subscriber->kept < room);
  if (!code && subscriber->is_broken) code = MOSQ_ERR_NOMEM;
  return code;
}

int cmosquitto_subscriber_may_have_more(const cmosquitto_subscriber *subscriber) { return subscriber->may_have_more; }

int cmosquitto_subscriber_write(cmosquitto_subscriber *subscriber) {
  int code = library.mosquitto_loop_write(subscriber->mosquitto, 1);
  // This function queues pings, and ends the connection if the broker's answer is late.
  return code ? code : library.mosquitto_loop_misc(subscriber->mosquitto);
}

int cmosquitto_subscriber_disconnect(cmosquitto_subscriber *subscriber) {
  int code = library.mosquitto_disconnect(subscriber->mosquitto);
  return code ? code : library.mosquitto_loop_write(subscriber->mosquitto, 1);
}

cmosquitto_subscriber_event cmosquitto_subscriber_take(cmosquitto_subscriber *subscriber) {
  free(subscriber->taken);
  subscriber->taken = subscriber->first;
  if (!subscriber->taken) return (cmosquitto_subscriber_event){.kind = cmosquitto_subscriber_none};
  subscriber->first = subscriber->taken->next;
  if (!subscriber->first) subscriber->end = &subscriber->first;
  return subscriber->taken->event;
}
