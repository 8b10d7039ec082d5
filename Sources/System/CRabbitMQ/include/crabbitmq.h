// The part of librabbitmq that consumes from one queue, loaded at run time. A client is for use by one thread, because
// the library is not thread-safe. Most functions block until the broker answers. See the AMQP 0-9-1 specification for
// the meaning of each method.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct crabbitmq_client crabbitmq_client;

/// Loads librabbitmq.so.4 once. Returns 0, or -ENOSYS if it is missing or lacks a function. Thread-safe.
int crabbitmq_load(void);

/// Options of a connection. A text may be NULL only if its comment says so.
typedef struct {
  const char *host;
  int port;
  const char *virtual_host;
  const char *user;
  const char *password;
  /// Seconds between heartbeats. The connection fails after twice that time without one.
  int heartbeat;
  /// Time limit in seconds for connecting and for each answer.
  int answer_limit;
  int uses_tls;
  /// PEM files: authorities, and the client certificate and its key, which may be NULL.
  const char *authorities;
  const char *certificate;
  const char *key;
} crabbitmq_options;

/// The queue to consume from. It is declared and bound if necessary; repeating that has no effect.
typedef struct {
  /// A durable quorum queue, and the queue for its rejected messages.
  const char *queue;
  const char *refused_queue;
  /// A topic exchange, and the routing key to bind.
  const char *exchange;
  const char *routing_key;
  /// Greatest number of unacknowledged messages.
  uint16_t prefetch;
  /// Greatest size of a message in bytes. A longer one is not stored.
  size_t message_limit;
} crabbitmq_subscription;

/// Creates a client without a connection; NULL without memory.
crabbitmq_client *crabbitmq_make(void);
/// Closes the connection immediately and frees the client.
void crabbitmq_free(crabbitmq_client *client);
/// Closes the connection properly, within one second. Only crabbitmq_free may follow.
void crabbitmq_say_goodbye(crabbitmq_client *client);

/// Connects and logs in. Returns 0, or -1 with the reason in crabbitmq_reason.
int crabbitmq_connect(crabbitmq_client *client, const crabbitmq_options *options);
/// Declares, binds and begins to consume. Returns 0, or -1 with the reason in crabbitmq_reason.
int crabbitmq_consume(crabbitmq_client *client, const crabbitmq_subscription *subscription);

/// Returns the socket; -1 if there is none.
int crabbitmq_socket(const crabbitmq_client *client);
/// Returns whether data is buffered that poll(2) does not report.
int crabbitmq_has_buffered(const crabbitmq_client *client);

typedef enum { crabbitmq_none, crabbitmq_delivery, crabbitmq_oversized, crabbitmq_lost } crabbitmq_kind;

/// An event. Its pointers are valid until the next call.
typedef struct {
  crabbitmq_kind kind;
  uint64_t tag;
  int is_redelivered;
  const char *routing_key;
  size_t routing_key_count;
  const uint8_t *body;
  /// Size in bytes of an oversized message.
  size_t count;
} crabbitmq_event;

/// Reads the next event without blocking, and sends heartbeats. After `crabbitmq_lost`, crabbitmq_reason returns the
/// reason.
crabbitmq_event crabbitmq_next(crabbitmq_client *client);

/// Acknowledges a message and optionally all before it. Returns 0 or -1.
int crabbitmq_acknowledge(crabbitmq_client *client, uint64_t tag, int and_all_before);
/// Rejects a message, to the queue of rejected messages or back to its queue. Returns 0 or -1.
int crabbitmq_reject(crabbitmq_client *client, uint64_t tag, int requeues);
/// Sends a heartbeat if nothing is read for a long time. Returns 0 or -1.
int crabbitmq_beat(crabbitmq_client *client);

/// Returns a description of the last failure for people, valid until the next call.
const char *crabbitmq_reason(const crabbitmq_client *client);
