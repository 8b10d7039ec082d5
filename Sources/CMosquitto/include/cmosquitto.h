// The part of libmosquitto that publishes, opened at run time; callbacks become events that are taken out one by one.
// cmosquitto_subscriber.h has the part that subscribes.
// One thread has a client. libmosquitto's own documentation says what each call means.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct cmosquitto_client cmosquitto_client;

/// Opens libmosquitto.so.1 once and sets it up; 0, or -ENOSYS where it is not installed or lacks something. Safe from
/// several threads.
int cmosquitto_load(void);

/// How a client speaks to its broker. Texts may be NULL: not used.
typedef struct {
  const char *client_id;
  /// 5, or 4 for MQTT 3.1.1.
  int protocol_version;
  const char *user;
  const char *password;
  /// Published by the broker, retained, once the connection is lost.
  const char *will_topic;
  const char *will;
  int uses_tls;
  /// PEM files: authorities in place of the system's, our certificate, its key.
  const char *authorities;
  const char *certificate;
  const char *key;
} cmosquitto_options;

/// A client for one connection; NULL where the options are refused, `code` says why.
cmosquitto_client *cmosquitto_make(const cmosquitto_options *options, int *code);
/// Closes it at once.
void cmosquitto_free(cmosquitto_client *client);

/// Begins to connect; 0 or the library's code. Looking the host up may wait.
int cmosquitto_connect(cmosquitto_client *client, const char *host, int port, int keep_alive);
/// The socket; -1: none.
int cmosquitto_socket(const cmosquitto_client *client);
/// Whether something waits to be written, or the connection to be made.
int cmosquitto_wants_write(const cmosquitto_client *client);
/// Reads and writes what can be without waiting; 0 or the library's code.
int cmosquitto_continue(cmosquitto_client *client);
/// Publishes with QoS 1; 0 or the library's code. `number` names the message in its event.
int cmosquitto_publish(
    cmosquitto_client *client, const char *topic, const void *payload, size_t count, int is_retained, int *number);
/// Says goodbye: the broker publishes no will.
int cmosquitto_disconnect(cmosquitto_client *client);

typedef enum { cmosquitto_none, cmosquitto_connected, cmosquitto_disconnected, cmosquitto_acknowledged } cmosquitto_kind;

/// What has happened.
typedef struct {
  cmosquitto_kind kind;
  /// Of the broker (MQTT 5, 2.4; 3.1.1, 3.2.2.3), or the library's code of a disconnection; 0: well.
  int reason;
  /// Of the message.
  int number;
  /// Of a connection: how many messages may be under way, and how long a packet may be; 0: not said.
  unsigned receive_maximum;
  unsigned packet_maximum;
} cmosquitto_event;

/// The oldest event that was not taken yet, `cmosquitto_none` where there is none.
cmosquitto_event cmosquitto_take(cmosquitto_client *client);

/// The library's words for its code.
const char *cmosquitto_reason(int code);
/// Its words for a reason of the broker, by the protocol's version.
const char *cmosquitto_broker_reason(int reason, int protocol_version);
