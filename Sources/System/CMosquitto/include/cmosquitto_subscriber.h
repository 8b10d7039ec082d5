// The part of libmosquitto that subscribes. Messages are read, and acknowledged after the reader has processed them.
//
// The library queues a PUBACK before it delivers a message, and writes it at the next opportunity. Here reading and
// writing are separate: nothing is written until the reader has processed all messages that were read. Supports only
// MQTT 5.
#pragma once

#include "cmosquitto.h"

#include <stddef.h>

typedef struct cmosquitto_subscriber cmosquitto_subscriber;

/// Creates a client with a session that the broker keeps when the connection ends. NULL if the options are rejected,
/// with the reason in `code`. The will is not used.
///
/// `receive_maximum`: greatest number of unacknowledged messages. `message_limit`: greatest payload that is stored, in
/// bytes.
cmosquitto_subscriber *cmosquitto_subscriber_make(
    const cmosquitto_options *options, int receive_maximum, size_t message_limit, int *code);
/// Closes the connection immediately and frees the client.
void cmosquitto_subscriber_free(cmosquitto_subscriber *subscriber);

/// Connects, and blocks until that succeeds or fails. Returns 0 or the library's code.
///
/// `session_seconds`: how long the broker keeps the session without a connection.
int cmosquitto_subscriber_connect(
    cmosquitto_subscriber *subscriber, const char *host, int port, int keep_alive, uint32_t session_seconds);
/// Subscribes to a topic with QoS 1. Returns 0 or the library's code.
int cmosquitto_subscriber_subscribe(cmosquitto_subscriber *subscriber, const char *topic);
/// Returns the socket; -1 if there is none.
int cmosquitto_subscriber_socket(const cmosquitto_subscriber *subscriber);
int cmosquitto_subscriber_wants_write(const cmosquitto_subscriber *subscriber);
/// Reads arrived messages until the payloads exceed `room` bytes. Returns 0 or the library's code.
int cmosquitto_subscriber_read(cmosquitto_subscriber *subscriber, size_t room);
/// Returns whether the last read may have left messages that poll(2) does not report.
int cmosquitto_subscriber_may_have_more(const cmosquitto_subscriber *subscriber);
/// Writes queued packets, including the acknowledgements of all messages that were read. Returns 0 or the library's
/// code.
int cmosquitto_subscriber_write(cmosquitto_subscriber *subscriber);
/// Disconnects. Returns 0 or the library's code.
int cmosquitto_subscriber_disconnect(cmosquitto_subscriber *subscriber);

typedef enum {
  cmosquitto_subscriber_none,
  cmosquitto_subscriber_connected,
  cmosquitto_subscriber_disconnected,
  cmosquitto_subscriber_subscribed,
  cmosquitto_subscriber_message
} cmosquitto_subscriber_kind;

/// An event. Its pointers are valid until the next call.
typedef struct {
  cmosquitto_subscriber_kind kind;
  /// Reason code of the broker (MQTT 5, 2.4), or the library's code of a disconnection; below 0x80 for success.
  int reason;
  const char *topic;
  const uint8_t *payload;
  /// Size of the message in bytes. If it exceeds the limit, there is no payload.
  size_t count;
} cmosquitto_subscriber_event;

/// Returns the oldest unread event.
cmosquitto_subscriber_event cmosquitto_subscriber_take(cmosquitto_subscriber *subscriber);
