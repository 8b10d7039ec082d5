// What stands between libmosquitto and its broker: the library takes packets of up to 256 MiB from whoever it speaks to and
// keeps what it did not ask for, so that a hostile broker could have all of the machine's memory. Here bytes are let through a
// little at a time, looked at, and refused where a publisher has no use for them.
//
// The library keeps its descriptor's number; behind it there is one end of a pair of sockets, and the broker's socket is ours.
#pragma once

#include <stddef.h>

typedef struct cmosquitto_gate cmosquitto_gate;

/// Takes the library's socket over; NULL where there is no memory or descriptor, `errno` says which.
///
/// `is_plain`: packets can be told apart, for there is no TLS around them.
cmosquitto_gate *cmosquitto_gate_make(int socket, int is_plain);
/// Closes the broker's socket; what the library wrote last is sent first, as far as that goes without waiting.
void cmosquitto_gate_free(cmosquitto_gate *gate);

/// The broker's socket.
int cmosquitto_gate_socket(const cmosquitto_gate *gate);
/// Whether something waits to be sent.
int cmosquitto_gate_wants_write(const cmosquitto_gate *gate);

/// Lets through what came, at most some KiB, which the library has to read before the next call.
///
/// `moved`: whether something was let through, the end of the connection too. Returns 0 or the library's code:
/// MOSQ_ERR_ERRNO with errno, MOSQ_ERR_PROTOCOL for a packet that no publisher gets, MOSQ_ERR_OVERSIZE_PACKET for one that is
/// too long, or for more bytes than what has happened accounts for.
int cmosquitto_gate_in(cmosquitto_gate *gate, int *moved);
/// Sends what the library wrote; whether anything was sent.
int cmosquitto_gate_out(cmosquitto_gate *gate);
/// So many things have happened: that accounts for some bytes.
void cmosquitto_gate_account(cmosquitto_gate *gate, unsigned events);
