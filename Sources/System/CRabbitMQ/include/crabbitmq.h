// The part of librabbitmq that consumes messages from one queue. The library is loaded at run time. Only one thread may
// use a client at a time, because the library is not thread-safe. Most functions block until the broker answers. See
// the AMQP 0-9-1 specification for the meaning of each method.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct crabbitmq_client crabbitmq_client;

/// Loads librabbitmq.so.4 once. Returns 0, or -ENOSYS if it is missing or lacks a function. Thread-safe.
int crabbitmq_load(void);

/// Options of a connection. A text may be NULL only if its comment permits it.
typedef struct {
  const char *host;
  int port;
  const char *virtual_host;
  const char *user;
  const char *password;
  /// Time between heartbeats, s. If no heartbeat is received for twice this time, the connection fails.
  int heartbeat;
  /// Time limit in seconds for connecting and for each answer.
  int answer_limit;
  int uses_tls;
  /// Path of a PEM file with the certificates of authorities.
  const char *authorities;
  /// Path of a PEM file with the client certificate; NULL if there is none.
  const char *certificate;
  /// Path of a PEM file with the private key of the client certificate; NULL if there is none.
  const char *key;
} crabbitmq_options;

/// The queue from which messages are consumed. The queue is declared and bound to an exchange, which has no effect if
/// this was done before.
typedef struct {
  /// Name of a durable quorum queue.
  const char *queue;
  /// Name of the queue to which the broker moves messages that were rejected.
  const char *refused_queue;
  /// Name of the topic exchange to which the queue is bound.
  const char *exchange;
  /// Routing key with which the queue is bound to the exchange.
  const char *routing_key;
  /// Maximum number of unacknowledged messages.
  uint16_t prefetch;
  /// Maximum size of a message in bytes. A longer message is not stored.
  size_t message_limit;
} crabbitmq_subscription;

/// Creates a client that is not connected. Returns NULL if there is no memory.
crabbitmq_client *crabbitmq_make(void);
/// Closes the connection immediately and frees the client.
void crabbitmq_free(crabbitmq_client *client);
/// Closes the connection as the protocol specifies, within one second. Afterwards, only crabbitmq_free may be called.
void crabbitmq_say_goodbye(crabbitmq_client *client);

/// Connects and logs in. Returns 0, or -1 on failure; crabbitmq_reason then describes it.
int crabbitmq_connect(crabbitmq_client *client, const crabbitmq_options *options);
/// Declares and binds the queue, and begins to consume messages. Returns 0, or -1 on failure; crabbitmq_reason then
/// describes it.
int crabbitmq_consume(crabbitmq_client *client, const crabbitmq_subscription *subscription);

/// Returns the socket; -1 if there is none.
int crabbitmq_socket(const crabbitmq_client *client);
/// Returns whether the client has buffered data, which poll(2) does not report.
int crabbitmq_has_buffered(const crabbitmq_client *client);

typedef enum { crabbitmq_none, crabbitmq_delivery, crabbitmq_oversized, crabbitmq_lost } crabbitmq_kind;

/// An event: a message from the broker, or the loss of the connection. Its pointers are valid until the next call.
typedef struct {
  crabbitmq_kind kind;
  uint64_t tag;
  int is_redelivered;
  const char *routing_key;
  size_t routing_key_count;
  const uint8_t *body;
  /// Size in bytes of a message that was too long to be stored.
  size_t count;
} crabbitmq_event;

/// Reads the next event without blocking, and sends heartbeats. After an event `crabbitmq_lost`, crabbitmq_reason
/// describes why the connection was lost.
crabbitmq_event crabbitmq_next(crabbitmq_client *client);

/// Acknowledges a message, and optionally all messages before it. Returns 0 or -1.
int crabbitmq_acknowledge(crabbitmq_client *client, uint64_t tag, int and_all_before);
/// Rejects a message. The broker moves it to the queue for rejected messages, or back to its own queue. Returns 0 or
/// -1.
int crabbitmq_reject(crabbitmq_client *client, uint64_t tag, int requeues);
/// Sends a heartbeat. Call this if no event is read for a long time. Returns 0 or -1.
int crabbitmq_beat(crabbitmq_client *client);

/// Returns a text that describes the last failure, valid until the next call.
const char *crabbitmq_reason(const crabbitmq_client *client);
