// The part of libmosquitto that subscribes to messages. Each message is acknowledged only after its reader has
// processed it.
//
// The library itself queues an acknowledgement (PUBACK) before it delivers a message, and sends it at the next
// opportunity. This module therefore separates reading and writing: nothing is sent until the reader has processed all
// messages that were read. It supports only MQTT 5.
#pragma once

#include "cmosquitto.h"

#include <stddef.h>

typedef struct cmosquitto_subscriber cmosquitto_subscriber;

/// Creates a client whose session the broker keeps after the connection has ended. Returns NULL if the library rejects
/// the options, with its error code in `code`. The will in the options is not used.
///
/// `receive_maximum`: maximum number of unacknowledged messages. `message_limit`: maximum size of a payload that is
/// stored, in bytes.
cmosquitto_subscriber *cmosquitto_subscriber_make(
    const cmosquitto_options *options, int receive_maximum, size_t message_limit, int *code);
/// Closes the connection immediately and frees the client.
void cmosquitto_subscriber_free(cmosquitto_subscriber *subscriber);

/// Connects to a broker, and blocks until the socket is connected or connecting fails. Returns 0 or the library's error
/// code.
///
/// `session_seconds`: how long the broker keeps the session while there is no connection.
int cmosquitto_subscriber_connect(
    cmosquitto_subscriber *subscriber, const char *host, int port, int keep_alive, uint32_t session_seconds);
/// Subscribes to a topic with QoS 1. Returns 0 or the library's error code.
int cmosquitto_subscriber_subscribe(cmosquitto_subscriber *subscriber, const char *topic);
/// Returns the socket; -1 if there is none.
int cmosquitto_subscriber_socket(const cmosquitto_subscriber *subscriber);
int cmosquitto_subscriber_wants_write(const cmosquitto_subscriber *subscriber);
/// Reads messages that have arrived, until their payloads together exceed `room` bytes. Returns 0 or the library's
/// error code.
int cmosquitto_subscriber_read(cmosquitto_subscriber *subscriber, size_t room);
/// Returns whether messages may remain that poll(2) does not report, because the last read was limited.
int cmosquitto_subscriber_may_have_more(const cmosquitto_subscriber *subscriber);
/// Sends queued packets, including the acknowledgements of all messages that were read. Returns 0 or the library's
/// error code.
int cmosquitto_subscriber_write(cmosquitto_subscriber *subscriber);
/// Disconnects. Returns 0 or the library's error code.
int cmosquitto_subscriber_disconnect(cmosquitto_subscriber *subscriber);

typedef enum {
  cmosquitto_subscriber_none,
  cmosquitto_subscriber_connected,
  cmosquitto_subscriber_disconnected,
  cmosquitto_subscriber_subscribed,
  cmosquitto_subscriber_message
} cmosquitto_subscriber_kind;

/// An event that the library has reported. Its pointers are valid until the next call.
typedef struct {
  cmosquitto_subscriber_kind kind;
  /// Reason code from the broker (MQTT 5, 2.4), or the library's error code if the connection has ended; below 0x80 for
  /// success.
  int reason;
  const char *topic;
  const uint8_t *payload;
  /// Size of the message in bytes. If it exceeds `message_limit`, the payload was not stored.
  size_t count;
} cmosquitto_subscriber_event;

/// Returns the oldest event that was not returned yet. If there is none, its kind is `cmosquitto_subscriber_none`.
cmosquitto_subscriber_event cmosquitto_subscriber_take(cmosquitto_subscriber *subscriber);
