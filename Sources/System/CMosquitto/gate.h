// A filter between libmosquitto and its broker.
//
// The library accepts packets of up to 256 MiB and stores unrequested ones, so that a hostile broker could exhaust the
// machine's memory. The filter passes a few bytes at a time, checks them and rejects packets that a publisher does not
// need.
//
// The library keeps its descriptor's number, which becomes one end of a socket pair. The filter owns the broker's
// socket.
#pragma once

#include <stddef.h>

typedef struct cmosquitto_gate cmosquitto_gate;

/// Takes over the library's socket. Returns NULL with `errno` if there is no memory or descriptor.
///
/// `is_plain`: without TLS, so that packets can be checked.
cmosquitto_gate *cmosquitto_gate_make(int socket, int is_plain);
/// Closes the broker's socket. The library's last bytes are sent before, as far as possible without blocking.
void cmosquitto_gate_free(cmosquitto_gate *gate);

/// Returns the broker's socket.
int cmosquitto_gate_socket(const cmosquitto_gate *gate);
/// Returns whether bytes must be sent.
int cmosquitto_gate_wants_write(const cmosquitto_gate *gate);

/// Passes received bytes, at most some KiB, which the library must read before the next call.
///
/// `moved`: whether bytes or the end of the connection were passed. Returns 0 or an error code of the library:
/// MOSQ_ERR_ERRNO with errno; MOSQ_ERR_PROTOCOL for a packet that is not for publishers; MOSQ_ERR_OVERSIZE_PACKET for
/// one that is too long, or for more bytes than the events justify.
int cmosquitto_gate_in(cmosquitto_gate *gate, int *moved);
/// Sends the library's bytes. Returns whether any were sent.
int cmosquitto_gate_out(cmosquitto_gate *gate);
/// Reports a number of events, each of which permits some more bytes.
void cmosquitto_gate_account(cmosquitto_gate *gate, unsigned events);
