// The part of libmosquitto that subscribes: messages are read, and acknowledged when the reader says so.
//
// The library queues a PUBACK before it hands a message over, and writes it at the next occasion. Here reading and writing
// are apart: nothing is written between a message and the moment at which all that were read are settled. MQTT 5 alone.
#pragma once

#include "cmosquitto.h"

#include <stddef.h>

typedef struct cmosquitto_subscriber cmosquitto_subscriber;

/// A client with a session that the broker keeps for so many seconds, and to which it hands so many messages before they
/// are acknowledged; of a message longer than `message_limit` the payload is not kept. NULL where the options are refused,
/// `code` says why. The will is not used.
cmosquitto_subscriber *cmosquitto_subscriber_make(
    const cmosquitto_options *options, int receive_maximum, size_t message_limit, int *code);
/// Closes it at once.
void cmosquitto_subscriber_free(cmosquitto_subscriber *subscriber);

/// Connects: waits until the network does or does not. 0 or the library's code.
int cmosquitto_subscriber_connect(
    cmosquitto_subscriber *subscriber, const char *host, int port, int keep_alive, uint32_t session_seconds);
/// Asks for a topic with QoS 1; 0 or the library's code.
int cmosquitto_subscriber_subscribe(cmosquitto_subscriber *subscriber, const char *topic);
/// The socket; -1: none.
int cmosquitto_subscriber_socket(const cmosquitto_subscriber *subscriber);
int cmosquitto_subscriber_wants_write(const cmosquitto_subscriber *subscriber);
/// Reads what has come until payloads have so many bytes; 0 or the library's code.
int cmosquitto_subscriber_read(cmosquitto_subscriber *subscriber, size_t room);
/// Whether the last read was left off before all was read: no poll(2) may show the rest.
int cmosquitto_subscriber_may_have_more(const cmosquitto_subscriber *subscriber);
/// Writes what waits, the acknowledgements of all that was read among it; 0 or the library's code.
int cmosquitto_subscriber_write(cmosquitto_subscriber *subscriber);
/// Says goodbye; 0 or the library's code.
int cmosquitto_subscriber_disconnect(cmosquitto_subscriber *subscriber);

typedef enum {
  cmosquitto_subscriber_none,
  cmosquitto_subscriber_connected,
  cmosquitto_subscriber_disconnected,
  cmosquitto_subscriber_subscribed,
  cmosquitto_subscriber_message
} cmosquitto_subscriber_kind;

/// What has happened; its bytes are good until the next call.
typedef struct {
  cmosquitto_subscriber_kind kind;
  /// Of the broker (MQTT 5, 2.4), or the library's code of a disconnection; below 0x80: well.
  int reason;
  const char *topic;
  const uint8_t *payload;
  /// Bytes that the message had; where they are more than the limit there is no payload.
  size_t count;
} cmosquitto_subscriber_event;

/// The oldest event that was not taken yet.
cmosquitto_subscriber_event cmosquitto_subscriber_take(cmosquitto_subscriber *subscriber);
