// Two parts: notifications to the service manager that started the process, by datagrams without a library; and the
// part of sd-bus that communicates with a service on the system bus, loaded at run time. libsystemd loads six more
// libraries, which only a gateway that uses Bluetooth adapters needs.
//
// Every function returns 0 or more, or a negated errno, as sd-bus does. See the documentation of sd-bus for the meaning
// of each.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Sends a state such as `READY=1` to the service manager (sd_notify(3)). Returns 0 if there is none.
int csystemd_notify(const char *state);
/// Returns the interval in µs in which `WATCHDOG=1` must be sent (sd_watchdog_enabled(3)); 0 for never.
int64_t csystemd_watchdog(void);

/// Returns 1 if a stream (stderr) is connected to the journal, otherwise 0.
int csystemd_is_journal(int stream);
/// Opens the journal if a stream (stderr) is connected to it; otherwise returns -ENOENT. The journal's native protocol
/// has one datagram for each entry and one line for each field (systemd.io/JOURNAL_NATIVE_PROTOCOL).
int csystemd_journal_open(int stream);
/// Sends an entry without blocking.
int csystemd_journal_send(int journal, const uint8_t *entry, size_t size);

typedef struct csystemd_bus csystemd_bus;
typedef struct csystemd_message csystemd_message;

/// Loads the library once. Returns -ENOSYS if it is missing or lacks a function. Thread-safe.
int csystemd_load(void);

// A connection, for use by one thread at a time. `csystemd_load` must have succeeded.

/// Connects to the bus at an address; NULL for the system bus. Sets `bus` to NULL on failure. Messages are queued until
/// the bus has answered.
int csystemd_bus_open(const char *address, csystemd_bus **bus);
/// Disconnects immediately. Queued messages are lost.
void csystemd_bus_close(csystemd_bus *bus);
/// Return the descriptor for poll(2), and the events to wait for.
int csystemd_bus_descriptor(csystemd_bus *bus);
int csystemd_bus_events(csystemd_bus *bus);
/// Sends queued messages and receives one, without blocking. Returns 0 if nothing is left to do. The caller must
/// release `message`; it is NULL if the library processed the message itself.
int csystemd_bus_next(csystemd_bus *bus, csystemd_message **message);
/// Sends a message. Stores the number that its answer will refer to in `cookie`; NULL if no answer is expected.
int csystemd_bus_send(csystemd_bus *bus, csystemd_message *message, uint64_t *cookie);

// Writing a message.

/// Creates a call without arguments. The service is not started if it does not run.
int csystemd_call(
    csystemd_bus *bus, const char *service, const char *path, const char *interface, const char *method,
    csystemd_message **message);
/// Creates the answer to a call.
int csystemd_answer(csystemd_message *call, csystemd_message **message);
/// Creates an error answer to a call.
int csystemd_refusal(csystemd_message *call, const char *name, const char *text, csystemd_message **message);
/// Appends a string, object path or signature.
int csystemd_append_text(csystemd_message *message, char type, const char *text);
int csystemd_append_bool(csystemd_message *message, int value);
int csystemd_append_uint32(csystemd_message *message, uint32_t value);
/// Appends an array of bytes.
int csystemd_append_bytes(csystemd_message *message, const void *bytes, size_t count);
int csystemd_open(csystemd_message *message, char type, const char *contents);
int csystemd_close(csystemd_message *message);
/// Releases a message; NULL is ignored.
void csystemd_message_release(csystemd_message *message);

// Reading a message. Texts are valid as long as the message; NULL if they are missing.

/// Returns 1 for a call, 2 for an answer, 3 for an error answer, 4 for a signal.
int csystemd_kind(csystemd_message *message);
/// Returns the number of the call that it answers; 0 if it is not an answer.
uint64_t csystemd_cookie(csystemd_message *message);
const char *csystemd_sender(csystemd_message *message);
const char *csystemd_path(csystemd_message *message);
const char *csystemd_interface(csystemd_message *message);
const char *csystemd_member(csystemd_message *message);
/// Return the D-Bus name of the error and the service's text.
const char *csystemd_failure_name(csystemd_message *message);
const char *csystemd_failure_text(csystemd_message *message);

// Contents: the functions return 1 on success, 0 at the end of the container.

int csystemd_enter(csystemd_message *message, char type, const char *contents);
int csystemd_exit(csystemd_message *message);
int csystemd_read_text(csystemd_message *message, char type, const char **text);
int csystemd_read_bool(csystemd_message *message, int *value);
int csystemd_read_int16(csystemd_message *message, int16_t *value);
int csystemd_read_uint16(csystemd_message *message, uint16_t *value);
int csystemd_read_bytes(csystemd_message *message, const void **bytes, size_t *count);
/// Reads a descriptor as a non-blocking duplicate, which the caller owns.
int csystemd_read_descriptor(csystemd_message *message, int *descriptor);
/// Returns 1 at the end of the innermost container, otherwise 0.
int csystemd_at_end(csystemd_message *message);
/// Skips values of these types.
int csystemd_skip(csystemd_message *message, const char *types);
