// Two parts. What a service tells the service manager that started it: a datagram, for which no library is needed.
//
// And the part of sd-bus that speaks with a service on the system bus, opened at run time: libsystemd brings six more
// libraries, which only a gateway that looks for Bluetooth adapters needs in its memory.
//
// Every function returns 0 or more, or a negated errno, as sd-bus does. sd-bus' own documentation says what each means.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Tells the service manager a state (`READY=1`), as sd_notify(3) describes; 0 where nobody wants to know.
int csystemd_notify(const char *state);
/// Within how many microseconds `WATCHDOG=1` is expected again and again (sd_watchdog_enabled(3)); 0: never.
int64_t csystemd_watchdog(void);

/// Opens the journal where a stream (stderr) is connected to it; -ENOENT where it is not. Its own protocol: one datagram
/// an entry, a line a field (systemd.io/JOURNAL_NATIVE_PROTOCOL).
int csystemd_journal_open(int stream);
/// Sends an entry; never waits.
int csystemd_journal_send(int journal, const uint8_t *entry, size_t size);

typedef struct csystemd_bus csystemd_bus;
typedef struct csystemd_message csystemd_message;

/// Opens the library once; -ENOSYS where it is not installed or lacks something. Safe from several threads.
int csystemd_load(void);

// A connection, which one thread has at a time. `csystemd_load` has succeeded before.

/// Connects to the bus at that address; NULL: the system bus. NULL in `bus` on failure. What is sent before the bus has
/// answered waits.
int csystemd_bus_open(const char *address, csystemd_bus **bus);
/// Leaves it at once; what has not been sent yet is not.
void csystemd_bus_close(csystemd_bus *bus);
/// For poll(2), and the events to wait for.
int csystemd_bus_descriptor(csystemd_bus *bus);
int csystemd_bus_events(csystemd_bus *bus);
/// Sends what waits and takes one thing in, and never waits. 0: nothing is left to do. `message` is what came, to be let
/// go of, and NULL where it was the library's own business.
int csystemd_bus_next(csystemd_bus *bus, csystemd_message **message);
/// Sends a message. `cookie` gets the number that its answer will name; NULL: none is wanted.
int csystemd_bus_send(csystemd_bus *bus, csystemd_message *message, uint64_t *cookie);

// Writing a message.

/// A call, without arguments so far; the service is not started where it does not run.
int csystemd_call(
    csystemd_bus *bus, const char *service, const char *path, const char *interface, const char *method,
    csystemd_message **message);
/// The answer to a call.
int csystemd_answer(csystemd_message *call, csystemd_message **message);
/// The answer that it failed.
int csystemd_refusal(csystemd_message *call, const char *name, const char *text, csystemd_message **message);
/// A string, object path or signature.
int csystemd_append_text(csystemd_message *message, char type, const char *text);
int csystemd_append_bool(csystemd_message *message, int value);
int csystemd_append_uint32(csystemd_message *message, uint32_t value);
/// An array of bytes.
int csystemd_append_bytes(csystemd_message *message, const void *bytes, size_t count);
int csystemd_open(csystemd_message *message, char type, const char *contents);
int csystemd_close(csystemd_message *message);
/// Lets go of a message; NULL is none.
void csystemd_message_release(csystemd_message *message);

// Reading a message. Texts live as long as it does; NULL where it has none.

/// 1 a call, 2 an answer, 3 one that says what failed, 4 a signal.
int csystemd_kind(csystemd_message *message);
/// The number of the call that it answers; 0: none.
uint64_t csystemd_cookie(csystemd_message *message);
const char *csystemd_sender(csystemd_message *message);
const char *csystemd_path(csystemd_message *message);
const char *csystemd_interface(csystemd_message *message);
const char *csystemd_member(csystemd_message *message);
/// What failed: D-Bus' name for it, and the service's words.
const char *csystemd_failure_name(csystemd_message *message);
const char *csystemd_failure_text(csystemd_message *message);

// Its contents: 1 done, 0 nothing left here.

int csystemd_enter(csystemd_message *message, char type, const char *contents);
int csystemd_exit(csystemd_message *message);
int csystemd_read_text(csystemd_message *message, char type, const char **text);
int csystemd_read_bool(csystemd_message *message, int *value);
int csystemd_read_int16(csystemd_message *message, int16_t *value);
int csystemd_read_uint16(csystemd_message *message, uint16_t *value);
int csystemd_read_bytes(csystemd_message *message, const void **bytes, size_t *count);
/// A descriptor of the caller's own, which does not block.
int csystemd_read_descriptor(csystemd_message *message, int *descriptor);
/// 1 where nothing is left in the innermost container, 0 where something is.
int csystemd_at_end(csystemd_message *message);
/// Passes over values of these types.
int csystemd_skip(csystemd_message *message, const char *types);
