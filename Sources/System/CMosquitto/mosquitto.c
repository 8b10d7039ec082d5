#include "gate.h"
#include "library.h"

#include <errno.h>
#include <stdlib.h>

/// Size of the queue of events. The number of unacknowledged messages is limited, so fewer events can occur between two
/// reads.
#define EVENTS 256

struct cmosquitto_client {
  struct mosquitto *mosquitto;
  /// The filter between the library and the broker. It exists from the start of the connection.
  cmosquitto_gate *gate;
  int uses_tls;
  int is_connected;
  cmosquitto_event events[EVENTS];
  unsigned first, count;
};

static void note(cmosquitto_client *client, cmosquitto_event event) {
  if (client->count == EVENTS) return;
  client->events[(client->first + client->count++) % EVENTS] = event;
}

static void connected(struct mosquitto *mosquitto, void *context, int reason, int flags, const mosquitto_property *list) {
  (void)mosquitto;
  (void)flags;
  cmosquitto_client *client = context;
  cmosquitto_event event = {cmosquitto_connected, reason, 0, 0, 0};
  uint16_t receive_maximum = 0;
  uint32_t packet_maximum = 0;
  if (library.mosquitto_property_read_int16(list, MQTT_PROP_RECEIVE_MAXIMUM, &receive_maximum, false))
    event.receive_maximum = receive_maximum;
  if (library.mosquitto_property_read_int32(list, MQTT_PROP_MAXIMUM_PACKET_SIZE, &packet_maximum, false))
    event.packet_maximum = packet_maximum;
  client->is_connected = reason == 0;
  note(client, event);
}

static void disconnected(struct mosquitto *mosquitto, void *context, int reason, const mosquitto_property *list) {
  (void)mosquitto;
  (void)list;
  note(context, (cmosquitto_event){cmosquitto_disconnected, reason, 0, 0, 0});
}

static void acknowledged(
    struct mosquitto *mosquitto, void *context, int number, int reason, const mosquitto_property *list) {
  (void)mosquitto;
  (void)list;
  note(context, (cmosquitto_event){cmosquitto_acknowledged, reason, number, 0, 0});
}

cmosquitto_client *cmosquitto_make(const cmosquitto_options *options, int *code) {
  *code = MOSQ_ERR_NOMEM;
  cmosquitto_client *client = calloc(1, sizeof *client);
  if (!client) return NULL;
  client->uses_tls = options->uses_tls;
  client->mosquitto = library.mosquitto_new(options->client_id, true, client);
  if (client->mosquitto) *code = cmosquitto_set_up(client->mosquitto, options);
  if (*code) {
    cmosquitto_free(client);
    return NULL;
  }
  library.mosquitto_connect_v5_callback_set(client->mosquitto, connected);
  library.mosquitto_disconnect_v5_callback_set(client->mosquitto, disconnected);
  library.mosquitto_publish_v5_callback_set(client->mosquitto, acknowledged);
  return client;
}

void cmosquitto_free(cmosquitto_client *client) {
  if (!client) return;
  if (client->mosquitto) library.mosquitto_destroy(client->mosquitto);
  cmosquitto_gate_free(client->gate);
  free(client);
}

int cmosquitto_connect(cmosquitto_client *client, const char *host, int port, int keep_alive) {
  int code = library.mosquitto_connect_async(client->mosquitto, host, port, keep_alive);
  if (code) return code;
  client->gate = cmosquitto_gate_make(library.mosquitto_socket(client->mosquitto), !client->uses_tls);
  return client->gate ? MOSQ_ERR_SUCCESS : MOSQ_ERR_ERRNO;
}

int cmosquitto_socket(const cmosquitto_client *client) { return cmosquitto_gate_socket(client->gate); }

int cmosquitto_wants_write(const cmosquitto_client *client) {
  if (library.mosquitto_want_write(client->mosquitto) || cmosquitto_gate_wants_write(client->gate)) return 1;
  if (client->is_connected) return 0;
  return cmosquitto_is_connecting(cmosquitto_socket(client));
}

int cmosquitto_continue(cmosquitto_client *client) {
  while (1) {
    unsigned before = client->count;
    int came = 0;
    int refused = cmosquitto_gate_in(client->gate, &came);
    int reason = errno;
    int code = library.mosquitto_loop(client->mosquitto, 0, 1);
    int loop_reason = errno;
    int went = cmosquitto_gate_out(client->gate);
    if (code) {
      errno = loop_reason;
      return code;
    }
    if (refused) {
      errno = reason;
      return refused;
    }
    // The broker may answer the packets that were sent. Count this as one event, because a ping causes none.
    cmosquitto_gate_account(client->gate, client->count - before + (went ? 1 : 0));
    // TLS may have buffered received packets that poll(2) does not report.
    if ((!came && !went && client->count == before) || client->count >= EVENTS / 2) return 0;
  }
}

int cmosquitto_publish(
    cmosquitto_client *client, const char *topic, const void *payload, size_t count, int is_retained, int *number) {
  return library.mosquitto_publish(client->mosquitto, number, topic, (int)count, payload, 1, is_retained != 0);
}

int cmosquitto_disconnect(cmosquitto_client *client) {
  int code = library.mosquitto_disconnect(client->mosquitto);
  while (cmosquitto_gate_out(client->gate)) {
  }
  return code;
}

cmosquitto_event cmosquitto_take(cmosquitto_client *client) {
  cmosquitto_event event = {cmosquitto_none, 0, 0, 0, 0};
  if (!client->count) return event;
  event = client->events[client->first];
  client->first = (client->first + 1) % EVENTS;
  client->count--;
  return event;
}

const char *cmosquitto_reason(int code) { return library.mosquitto_strerror(code); }

const char *cmosquitto_broker_reason(int reason, int protocol_version) {
  return protocol_version == 5 ? library.mosquitto_reason_string(reason) : library.mosquitto_connack_string(reason);
}
