// A filter between libmosquitto and the broker.
//
// The library accepts packets of up to 256 MiB and also stores those that it did not request. A hostile broker could
// therefore exhaust the machine's memory. The filter checks the broker's packets and passes a few bytes at a time to
// the library. It rejects packets that a client needs only if it subscribes to messages.
//
// The file descriptor of the library's socket keeps its number, but becomes one end of a socket pair. The filter owns
// the socket that is connected to the broker.
#pragma once

#include <stddef.h>

typedef struct cmosquitto_gate cmosquitto_gate;

/// Creates a filter that takes over the library's socket. Returns NULL with `errno` if memory or file descriptors are
/// exhausted.
///
/// `is_plain`: whether the connection has no TLS, so that the filter can check packets.
cmosquitto_gate *cmosquitto_gate_make(int socket, int is_plain);
/// Sends the last bytes from the library, as far as this is possible without blocking. Then closes the broker's socket
/// and frees the filter.
void cmosquitto_gate_free(cmosquitto_gate *gate);

/// Returns the socket that is connected to the broker.
int cmosquitto_gate_socket(const cmosquitto_gate *gate);
/// Returns the filter's end of the socket pair, of which the library has the other end.
int cmosquitto_gate_inside(const cmosquitto_gate *gate);
/// Returns whether bytes from the library wait to be sent to the broker.
int cmosquitto_gate_wants_write(const cmosquitto_gate *gate);

/// Passes to the library some KiB of the bytes that came from the broker. The library must read them before the next
/// call.
///
/// `moved` is set to whether bytes, or the end of the connection, were passed. Returns 0 or an error code of the
/// library: MOSQ_ERR_ERRNO with errno; MOSQ_ERR_PROTOCOL for a packet that is not for publishers;
/// MOSQ_ERR_OVERSIZE_PACKET for a packet that is too long, or for more bytes than the events permit.
int cmosquitto_gate_in(cmosquitto_gate *gate, int *moved);
/// Sends bytes from the library to the broker. Returns whether any were sent.
int cmosquitto_gate_out(cmosquitto_gate *gate);
/// Passes the number of new events to the filter. For each event, the broker may send some more bytes.
void cmosquitto_gate_account(cmosquitto_gate *gate, unsigned events);
