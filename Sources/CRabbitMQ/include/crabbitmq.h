// The part of librabbitmq that consumes from one queue, opened at run time. One thread has a client: the library is not
// safe for two, and most of its calls wait for the broker. AMQP 0-9-1's own documents say what each method means.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct crabbitmq_client crabbitmq_client;

/// Opens librabbitmq.so.4 once; 0, or -ENOSYS where it is not installed or lacks something. Safe from several threads.
int crabbitmq_load(void);

/// Where the broker is, who we are, and how long its answers may take. Texts may be NULL where it says so.
typedef struct {
  const char *host;
  int port;
  const char *virtual_host;
  const char *user;
  const char *password;
  /// Seconds between two signs of life; the connection is over after twice that without one.
  int heartbeat;
  /// Seconds for connecting, and for each answer.
  int answer_limit;
  int uses_tls;
  /// PEM files: authorities; our certificate and its key, which may be NULL.
  const char *authorities;
  const char *certificate;
  const char *key;
} crabbitmq_options;

/// Which queue is consumed. Declared and bound where that is not so yet; the same again changes nothing.
typedef struct {
  /// A durable quorum queue, whose refused messages go to `refused_queue`, another one.
  const char *queue;
  const char *refused_queue;
  /// A topic exchange, and what is bound.
  const char *exchange;
  const char *routing_key;
  /// Messages that may be under way at once.
  uint16_t prefetch;
  /// Bytes that a message may have; of a longer one nothing is kept.
  size_t message_limit;
} crabbitmq_subscription;

/// A client without a connection; NULL: no memory.
crabbitmq_client *crabbitmq_make(void);
/// Closes the connection as it is and frees all.
void crabbitmq_free(crabbitmq_client *client);
/// Says goodbye, for a second at most; nothing but crabbitmq_free may follow.
void crabbitmq_say_goodbye(crabbitmq_client *client);

/// Connects and logs in; 0, or -1: crabbitmq_reason says why.
int crabbitmq_connect(crabbitmq_client *client, const crabbitmq_options *options);
/// Declares, binds and begins to consume; 0, or -1: crabbitmq_reason says why.
int crabbitmq_consume(crabbitmq_client *client, const crabbitmq_subscription *subscription);

/// The socket; -1: none.
int crabbitmq_socket(const crabbitmq_client *client);
/// Whether something was read already that no poll(2) shows.
int crabbitmq_has_buffered(const crabbitmq_client *client);

typedef enum { crabbitmq_none, crabbitmq_delivery, crabbitmq_oversized, crabbitmq_lost } crabbitmq_kind;

/// What has come; its bytes are good until the next call.
typedef struct {
  crabbitmq_kind kind;
  uint64_t tag;
  int is_redelivered;
  const char *routing_key;
  size_t routing_key_count;
  const uint8_t *body;
  /// Of an oversized message the bytes that it had.
  size_t count;
} crabbitmq_event;

/// Takes what is there without waiting, and keeps the heartbeat. `crabbitmq_lost`: crabbitmq_reason says why.
crabbitmq_event crabbitmq_next(crabbitmq_client *client);

/// Acknowledges a message and, where told, all before it; 0 or -1.
int crabbitmq_acknowledge(crabbitmq_client *client, uint64_t tag, int and_all_before);
/// Gives a message back: to the refused queue, or to the queue again; 0 or -1.
int crabbitmq_reject(crabbitmq_client *client, uint64_t tag, int requeues);
/// Says that we are alive, where nothing is read for a while; 0 or -1.
int crabbitmq_beat(crabbitmq_client *client);

/// What failed last, for people; good until the next call.
const char *crabbitmq_reason(const crabbitmq_client *client);
