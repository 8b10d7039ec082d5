// Two parts. What a service tells the service manager that started it: a datagram, for which no library is needed.
//
// And the part of sd-bus that asks a service on the system bus a question, opened at run time: libsystemd brings six more
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

/// Why a call was answered by an error, in D-Bus' name and the service's words; cut to fit.
typedef struct {
  char name[96];
  char text[160];
} csystemd_error;

/// Opens the library once; -ENOSYS where it is not installed or lacks something. Safe from several threads.
int csystemd_load(void);

/// Connects to the system bus; `csystemd_load` has succeeded before. NULL in `bus` on failure.
int csystemd_bus_open(csystemd_bus **bus);
/// Closes it; what was still to be sent is sent first.
void csystemd_bus_close(csystemd_bus *bus);

/// Calls a method without arguments and waits for its answer, without starting the service where it does not run.
int csystemd_call(
    csystemd_bus *bus, const char *service, const char *path, const char *interface, const char *method,
    uint64_t microseconds, csystemd_message **answer, csystemd_error *error);
/// The same for a method whose one argument is a dictionary (`a{sv}`), here of one text.
int csystemd_call_with_option(
    csystemd_bus *bus, const char *service, const char *path, const char *interface, const char *method,
    const char *key, const char *value, uint64_t microseconds, csystemd_message **answer, csystemd_error *error);
/// Lets go of an answer; NULL is none.
void csystemd_message_release(csystemd_message *message);

/// Waits until something arrives or the time is over, and takes in what did.
int csystemd_bus_wait(csystemd_bus *bus, uint64_t microseconds);

// Reading an answer: 1 done, 0 nothing left here.

int csystemd_enter(csystemd_message *message, char type, const char *contents);
int csystemd_exit(csystemd_message *message);
/// A string, object path or signature; it lives as long as the message.
int csystemd_read_text(csystemd_message *message, char type, const char **text);
int csystemd_read_bool(csystemd_message *message, int *value);
int csystemd_read_int16(csystemd_message *message, int16_t *value);
/// 1 where nothing is left in the innermost container, 0 where something is.
int csystemd_at_end(csystemd_message *message);
/// Passes over values of these types.
int csystemd_skip(csystemd_message *message, const char *types);
