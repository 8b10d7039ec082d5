// The part of libmosquitto that publishes messages. The library is loaded at run time. Its callbacks become events,
// which the caller reads one by one. cmosquitto_subscriber.h contains the part that subscribes. Only one thread may use
// a client at a time. See libmosquitto's documentation for details.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct cmosquitto_client cmosquitto_client;

/// Loads and initializes libmosquitto.so.1 once. Returns 0, or -ENOSYS if it is missing or lacks a function.
/// Thread-safe.
int cmosquitto_load(void);

/// Options of a client. A text that is not used is NULL.
typedef struct {
  const char *client_id;
  /// Protocol version: 5 for MQTT 5, 4 for MQTT 3.1.1.
  int protocol_version;
  const char *user;
  const char *password;
  /// Topic of the will, a retained message that the broker publishes if the connection is lost.
  const char *will_topic;
  /// Payload of the will.
  const char *will;
  int uses_tls;
  /// Path of a PEM file with the certificates of authorities that replace those of the system.
  const char *authorities;
  /// Path of a PEM file with the client certificate.
  const char *certificate;
  /// Path of a PEM file with the private key of the client certificate.
  const char *key;
} cmosquitto_options;

/// Creates a client for one connection. Returns NULL if the library rejects the options, with its error code in `code`.
cmosquitto_client *cmosquitto_make(const cmosquitto_options *options, int *code);
/// Closes the connection immediately and frees the client.
void cmosquitto_free(cmosquitto_client *client);

/// Begins to connect. Returns 0 or the library's error code. Looking up the broker's name may block.
int cmosquitto_connect(cmosquitto_client *client, const char *host, int port, int keep_alive);
/// Begins to connect to an address that the caller has looked up and checked: an IPv4 or IPv6 address as text. No name
/// is looked up, and nothing is sent to another address. With TLS, the broker must have a certificate for `host`, which
/// may be a name. Returns 0 or the library's error code. It does not block.
///
/// If `host` differs from `address`, libmosquitto 2.0.11 does not free a copy of the address when the client is freed.
/// Use a client for several connections, with cmosquitto_reset, so that the memory in use does not grow with the number
/// of connections.
int cmosquitto_connect_at(
    cmosquitto_client *client, const char *address, const char *host, int port, int keep_alive);
/// Prepares a client for another cmosquitto_connect_at. Before this call, disconnect the client with
/// cmosquitto_disconnect. All of its messages must have been acknowledged, because the library would send the others
/// again.
void cmosquitto_reset(cmosquitto_client *client);
/// Returns the socket; -1 if there is none.
int cmosquitto_socket(const cmosquitto_client *client);
/// Returns whether the caller must wait until the socket is writable, because bytes must be sent or the socket is
/// connecting.
int cmosquitto_wants_write(const cmosquitto_client *client);
/// Reads and writes without blocking. Returns 0 or the library's error code.
int cmosquitto_continue(cmosquitto_client *client);
/// Publishes a message with QoS 1, and sets `number`, which the event about this message will contain. Returns 0 or the
/// library's error code.
int cmosquitto_publish(
    cmosquitto_client *client, const char *topic, const void *payload, size_t count, int is_retained, int *number);
/// Disconnects, so that the broker does not publish the will.
int cmosquitto_disconnect(cmosquitto_client *client);

typedef enum { cmosquitto_none, cmosquitto_connected, cmosquitto_disconnected, cmosquitto_acknowledged } cmosquitto_kind;

/// An event that the library has reported.
typedef struct {
  cmosquitto_kind kind;
  /// Reason code from the broker (MQTT 5, 2.4; 3.1.1, 3.2.2.3), or the library's error code if the connection has
  /// ended; 0 for success.
  int reason;
  /// Number of the message, from cmosquitto_publish.
  int number;
  /// Maximum number of unacknowledged messages that the broker permits on the connection; 0 if unknown.
  unsigned receive_maximum;
  /// Maximum size of a packet that the broker permits on the connection, bytes; 0 if unknown.
  unsigned packet_maximum;
} cmosquitto_event;

/// Returns the oldest event that was not returned yet. If there is none, its kind is `cmosquitto_none`.
cmosquitto_event cmosquitto_take(cmosquitto_client *client);

/// Returns the library's message for an error code.
const char *cmosquitto_reason(int code);
/// Returns the library's message for a reason code from the broker. Its meaning depends on the protocol version.
const char *cmosquitto_broker_reason(int reason, int protocol_version);
