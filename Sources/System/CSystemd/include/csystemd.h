// Three parts. The first two communicate with systemd without a library: notifications to the service manager that
// started the process, and entries in the journal. The third is the part of sd-bus that communicates with a service on
// the system bus. Its library is loaded at run time, because libsystemd loads six more libraries, which only a gateway
// with Bluetooth adapters needs.
//
// Unless noted otherwise, a function returns 0 or more on success and a negated errno on failure, as the functions of
// sd-bus do. See the documentation of sd-bus for details.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Sends a state such as `READY=1` to the service manager (sd_notify(3)). Returns 0 if there is no service manager.
int csystemd_notify(const char *state);
/// Returns the interval in µs at which `WATCHDOG=1` must be sent (sd_watchdog_enabled(3)); 0 if it need not be sent.
int64_t csystemd_watchdog(void);

/// Returns 1 if a stream, such as stderr, is connected to the journal, otherwise 0.
int csystemd_is_journal(int stream);
/// Opens the journal if a stream, such as stderr, is connected to it; otherwise returns -ENOENT. In the journal's
/// native protocol, each entry is a datagram that contains one text line for each field
/// (systemd.io/JOURNAL_NATIVE_PROTOCOL).
int csystemd_journal_open(int stream);
/// Sends an entry to the journal without blocking.
int csystemd_journal_send(int journal, const uint8_t *entry, size_t size);

typedef struct csystemd_bus csystemd_bus;
typedef struct csystemd_message csystemd_message;

/// Loads libsystemd once. Returns 0, or -ENOSYS if it is missing or lacks a function. Thread-safe.
int csystemd_load(void);

// A connection to a bus. Only one thread may use it at a time. `csystemd_load` must have succeeded before.

/// Connects to the bus at an address; NULL stands for the system bus. Sets `bus` to NULL on failure. Messages are
/// queued until the bus has answered.
int csystemd_bus_open(const char *address, csystemd_bus **bus);
/// Disconnects immediately. Queued messages are lost.
void csystemd_bus_close(csystemd_bus *bus);
/// Returns the descriptor for poll(2).
int csystemd_bus_descriptor(csystemd_bus *bus);
/// Returns the events of poll(2) for which to wait at the descriptor.
int csystemd_bus_events(csystemd_bus *bus);
/// Sends queued messages and receives at most one message, without blocking. Returns 0 if nothing is left to do. The
/// caller must release `message`, which is NULL if the library processed the received message itself.
int csystemd_bus_next(csystemd_bus *bus, csystemd_message **message);
/// Sends a message. `cookie` is set to the number to which the answer will refer; it is NULL if no answer is expected.
int csystemd_bus_send(csystemd_bus *bus, csystemd_message *message, uint64_t *cookie);

// Functions for writing a message.

/// Creates a call without arguments. The bus does not start the service if it is not running.
int csystemd_call(
    csystemd_bus *bus, const char *service, const char *path, const char *interface, const char *method,
    csystemd_message **message);
/// Creates an answer to a call.
int csystemd_answer(csystemd_message *call, csystemd_message **message);
/// Creates an answer to a call that reports an error.
int csystemd_refusal(csystemd_message *call, const char *name, const char *text, csystemd_message **message);
/// Appends a string, an object path or a signature.
int csystemd_append_text(csystemd_message *message, char type, const char *text);
int csystemd_append_bool(csystemd_message *message, int value);
int csystemd_append_uint32(csystemd_message *message, uint32_t value);
/// Appends an array of bytes.
int csystemd_append_bytes(csystemd_message *message, const void *bytes, size_t count);
int csystemd_open(csystemd_message *message, char type, const char *contents);
int csystemd_close(csystemd_message *message);
/// Releases a message. NULL is ignored.
void csystemd_message_release(csystemd_message *message);

// Functions for reading a message. The texts that they return are valid until the message is released. A missing text
// is NULL.

/// Returns the kind of message: 1 for a call, 2 for an answer, 3 for an answer that reports an error, 4 for a signal.
int csystemd_kind(csystemd_message *message);
/// Returns the number (cookie) of the call that the message answers; 0 if it is not an answer.
uint64_t csystemd_cookie(csystemd_message *message);
const char *csystemd_sender(csystemd_message *message);
const char *csystemd_path(csystemd_message *message);
const char *csystemd_interface(csystemd_message *message);
const char *csystemd_member(csystemd_message *message);
/// Returns the D-Bus name of the error that the message reports.
const char *csystemd_failure_name(csystemd_message *message);
/// Returns the service's description of the error that the message reports.
const char *csystemd_failure_text(csystemd_message *message);

// Functions for reading the contents of a message. They return 1 on success and 0 at the end of the container.

int csystemd_enter(csystemd_message *message, char type, const char *contents);
int csystemd_exit(csystemd_message *message);
int csystemd_read_text(csystemd_message *message, char type, const char **text);
int csystemd_read_bool(csystemd_message *message, int *value);
int csystemd_read_int16(csystemd_message *message, int16_t *value);
int csystemd_read_uint16(csystemd_message *message, uint16_t *value);
int csystemd_read_bytes(csystemd_message *message, const void **bytes, size_t *count);
/// Reads a file descriptor. It is a non-blocking duplicate, which the caller must close.
int csystemd_read_descriptor(csystemd_message *message, int *descriptor);
/// Returns 1 if the innermost container has no more values, otherwise 0.
int csystemd_at_end(csystemd_message *message);
/// Skips the next values, which must have these types (a D-Bus signature).
int csystemd_skip(csystemd_message *message, const char *types);
