#include "gate.h"
#include "library.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/// Size of the queue of events. The number of unacknowledged messages is limited, so fewer events can occur between two
/// reads.
#define EVENTS 256

struct cmosquitto_client {
  struct mosquitto *mosquitto;
  /// The filter between the library and the broker. It exists from the start of the connection.
  cmosquitto_gate *gate;
  int uses_tls;
  int is_connected;
  /// Whether the client was connected with cmosquitto_connect_at.
  int is_at_address;
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

/// Lets the library read and write without blocking. Returns 0 or its error code.
static int run(cmosquitto_client *client) {
  struct mosquitto *mosquitto = client->mosquitto;
  if (!client->is_at_address) return library.mosquitto_loop(mosquitto, 0, 1);
  // mosquitto_loop calls select(2), which cannot wait for the many descriptors of a server.
  int code = library.mosquitto_loop_read(mosquitto, 1);
  if (!code) code = library.mosquitto_loop_write(mosquitto, 1);
  return code ? code : library.mosquitto_loop_misc(mosquitto);
}

/// Receives exactly `count` bytes from the library. Returns whether they were there.
static int receive(const cmosquitto_client *client, uint8_t *bytes, size_t count) {
  return recv(cmosquitto_gate_inside(client->gate), bytes, count, MSG_DONTWAIT) == (ssize_t)count;
}

/// Sends an answer to the library, and lets the library read it.
static int answer(cmosquitto_client *client, const uint8_t *bytes, size_t count) {
  if (send(cmosquitto_gate_inside(client->gate), bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)count)
    return MOSQ_ERR_ERRNO;
  return run(client);
}

/// Answers the library as a SOCKS 5 proxy does (RFC 1928, sections 3 to 6).
static int introduce(cmosquitto_client *client) {
  uint8_t greeting[3], request[4], rest[1 + 255 + 2];
  int code = run(client);
  if (code) return code;
  if (!receive(client, greeting, sizeof greeting)) return MOSQ_ERR_PROXY;
  code = answer(client, (const uint8_t[]){5, 0}, 2);
  if (code) return code;
  if (!receive(client, request, sizeof request)) return MOSQ_ERR_PROXY;
  // The type of the host: 1 for IPv4, 3 for a name after its length, 4 for IPv6. The port has two more bytes.
  size_t length = request[3] == 1 ? 4 : 16;
  if (request[3] == 3) {
    if (!receive(client, rest, 1)) return MOSQ_ERR_PROXY;
    length = rest[0];
  }
  if (!receive(client, rest, length + 2)) return MOSQ_ERR_PROXY;
  code = answer(client, (const uint8_t[]){5, 0, 0, 1, 0, 0, 0, 0, 0, 0}, 10);
  // The library reads the answer in two steps. Then it begins with TLS, or queues CONNECT.
  return code ? code : run(client);
}

void cmosquitto_reset(cmosquitto_client *client) {
  cmosquitto_gate_free(client->gate);
  client->gate = NULL;
  client->is_connected = 0;
  client->first = client->count = 0;
}

int cmosquitto_connect_at(
    cmosquitto_client *client, const char *address, const char *host, int port, int keep_alive) {
  client->is_at_address = 1;
  if (!strcmp(address, host)) return cmosquitto_connect(client, host, port, keep_alive);
  // The library cannot connect to an address and verify another name, except through a SOCKS proxy. The address is
  // therefore set as the proxy's address. The bytes that are meant for the proxy stay in this process: the library only
  // queues them until the filter exists, and `introduce` answers them.
  int code = library.mosquitto_socks5_set(client->mosquitto, address, port, NULL, NULL);
  if (!code) code = library.mosquitto_threaded_set(client->mosquitto, true);
  if (!code) code = cmosquitto_connect(client, host, port, keep_alive);
  if (!code) code = library.mosquitto_threaded_set(client->mosquitto, false);
  return code ? code : introduce(client);
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
    int code = run(client);
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
