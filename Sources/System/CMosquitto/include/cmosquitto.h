// The part of libmosquitto that publishes, loaded at run time. Callbacks become events, which are read one by one.
// cmosquitto_subscriber.h contains the part that subscribes. A client is for use by one thread. See libmosquitto's
// documentation for the meaning of each function.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct cmosquitto_client cmosquitto_client;

/// Loads and initializes libmosquitto.so.1 once. Returns 0, or -ENOSYS if it is missing or lacks a function.
/// Thread-safe.
int cmosquitto_load(void);

/// Options of a client. A text is NULL if it is not used.
typedef struct {
  const char *client_id;
  /// 5 for MQTT 5, 4 for MQTT 3.1.1.
  int protocol_version;
  const char *user;
  const char *password;
  /// Message that the broker publishes, retained, if the connection is lost.
  const char *will_topic;
  const char *will;
  int uses_tls;
  /// PEM files: authorities that replace the system's, the client certificate, its key.
  const char *authorities;
  const char *certificate;
  const char *key;
} cmosquitto_options;

/// Creates a client for one connection; NULL if the options are rejected, with the reason in `code`.
cmosquitto_client *cmosquitto_make(const cmosquitto_options *options, int *code);
/// Closes the connection immediately and frees the client.
void cmosquitto_free(cmosquitto_client *client);

/// Begins to connect. Returns 0 or the library's code. The name lookup may block.
int cmosquitto_connect(cmosquitto_client *client, const char *host, int port, int keep_alive);
/// Returns the socket; -1 if there is none.
int cmosquitto_socket(const cmosquitto_client *client);
/// Returns whether bytes must be written, or the connection is being established.
int cmosquitto_wants_write(const cmosquitto_client *client);
/// Reads and writes without blocking. Returns 0 or the library's code.
int cmosquitto_continue(cmosquitto_client *client);
/// Publishes with QoS 1. Returns 0 or the library's code. `number` identifies the message in its event.
int cmosquitto_publish(
    cmosquitto_client *client, const char *topic, const void *payload, size_t count, int is_retained, int *number);
/// Disconnects. The broker does not publish the will.
int cmosquitto_disconnect(cmosquitto_client *client);

typedef enum { cmosquitto_none, cmosquitto_connected, cmosquitto_disconnected, cmosquitto_acknowledged } cmosquitto_kind;

/// An event.
typedef struct {
  cmosquitto_kind kind;
  /// Reason code of the broker (MQTT 5, 2.4; 3.1.1, 3.2.2.3), or the library's code of a disconnection; 0 for success.
  int reason;
  /// Number of the message.
  int number;
  /// Limits of a connection: unacknowledged messages, and packet size in bytes; 0 if unknown.
  unsigned receive_maximum;
  unsigned packet_maximum;
} cmosquitto_event;

/// Returns the oldest unread event; `cmosquitto_none` if there is none.
cmosquitto_event cmosquitto_take(cmosquitto_client *client);

/// Returns the library's message for its code.
const char *cmosquitto_reason(int code);
/// Returns the library's message for a reason code of the broker, by the protocol's version.
const char *cmosquitto_broker_reason(int reason, int protocol_version);
