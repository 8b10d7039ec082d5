#define _GNU_SOURCE
#include "gate.h"

#include <errno.h>
#include <fcntl.h>
#include <mosquitto.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/// Maximum number of bytes that are passed at once.
#define PIECE 16384
/// Maximum size of a packet from the broker, bytes. To a client that only publishes, a broker sends at most some
/// hundred bytes: the answer to CONNECT with its properties.
#define LONGEST_PACKET 65536
/// Number of bytes that are accepted before any event, for the TLS handshake and the answer to CONNECT.
#define FREE_BYTES 131072
/// Number of bytes that are accepted for each event, for an acknowledgement with a reason, and the overhead of TLS.
#define BYTES_PER_EVENT 512

typedef struct {
  uint8_t bytes[PIECE];
  size_t first, count;
} piece;

struct cmosquitto_gate {
  int broker;
  /// The filter's end of the socket pair. The library has the other end.
  int inside;
  int is_plain;
  int has_ended;
  /// The errno of a failed send to the broker, which is reported once; 0 if there is none.
  int failure;
  piece in, out;
  long budget;
  /// The packet that is being received: the number of bytes of its length field so far, the length, and the number of
  /// bytes that have not arrived.
  int length_count;
  size_t length, left;
};

cmosquitto_gate *cmosquitto_gate_make(int socket, int is_plain) {
  cmosquitto_gate *gate = calloc(1, sizeof *gate);
  if (!gate) return NULL;
  int pair[2] = {-1, -1};
  gate->broker = fcntl(socket, F_DUPFD_CLOEXEC, 0);
  gate->is_plain = is_plain;
  gate->budget = FREE_BYTES;
  if (gate->broker < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0) goto failed;
  gate->inside = pair[1];
  if (dup3(pair[0], socket, O_CLOEXEC) < 0) goto failed;
  close(pair[0]);
  return gate;

failed:;
  int code = errno;
  if (pair[0] >= 0) close(pair[0]);
  if (pair[1] >= 0) close(pair[1]);
  if (gate->broker >= 0) close(gate->broker);
  free(gate);
  errno = code;
  return NULL;
}

void cmosquitto_gate_free(cmosquitto_gate *gate) {
  if (!gate) return;
  while (cmosquitto_gate_out(gate)) {
  }
  close(gate->inside);
  close(gate->broker);
  free(gate);
}

int cmosquitto_gate_socket(const cmosquitto_gate *gate) { return gate->broker; }

int cmosquitto_gate_inside(const cmosquitto_gate *gate) { return gate->inside; }

int cmosquitto_gate_wants_write(const cmosquitto_gate *gate) {
  int waiting = 0;
  if (gate->out.count) return 1;
  return ioctl(gate->inside, FIONREAD, &waiting) == 0 && waiting > 0;
}

void cmosquitto_gate_account(cmosquitto_gate *gate, unsigned events) {
  gate->budget += (long)events * BYTES_PER_EVENT;
  if (gate->budget > FREE_BYTES) gate->budget = FREE_BYTES;
}

/// Follows the boundaries of packets. A packet consists of a byte with its type, one to four bytes with its length, and
/// the rest (MQTT 5, 2.1).
static int follow(cmosquitto_gate *gate, const uint8_t *bytes, size_t count) {
  for (size_t at = 0; at < count;) {
    if (gate->left) {
      size_t step = gate->left < count - at ? gate->left : count - at;
      gate->left -= step;
      at += step;
      continue;
    }
    uint8_t byte = bytes[at++];
    if (!gate->length_count) {
      // The broker sends only these packets to a client that only publishes with QoS 1: CONNACK, PUBACK, PINGRESP,
      // DISCONNECT.
      if (!(1 << (byte >> 4) & (1 << 2 | 1 << 4 | 1 << 13 | 1 << 14))) return MOSQ_ERR_PROTOCOL;
      gate->length_count = 1;
      gate->length = 0;
      continue;
    }
    gate->length |= (size_t)(byte & 0x7F) << (7 * (gate->length_count - 1));
    if (byte & 0x80) {
      if (++gate->length_count > 4) return MOSQ_ERR_PROTOCOL;
      continue;
    }
    if (gate->length > LONGEST_PACKET) return MOSQ_ERR_OVERSIZE_PACKET;
    gate->left = gate->length;
    gate->length_count = 0;
  }
  return MOSQ_ERR_SUCCESS;
}

/// Reports the end of the connection to the library.
static void end(cmosquitto_gate *gate) {
  gate->has_ended = 1;
  shutdown(gate->inside, SHUT_WR);
}

static int take(cmosquitto_gate *gate, int *moved) {
  ssize_t count = recv(gate->broker, gate->in.bytes, PIECE, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == ENOTCONN) && gate->failure) errno = gate->failure;
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return MOSQ_ERR_SUCCESS;
  if (count < 0 && errno != ECONNRESET && errno != EPIPE) return MOSQ_ERR_ERRNO;
  *moved = 1;
  if (count <= 0) {
    end(gate);
    return MOSQ_ERR_SUCCESS;
  }
  gate->in.first = 0;
  gate->in.count = (size_t)count;
  gate->budget -= count;
  if (gate->budget < 0) return MOSQ_ERR_OVERSIZE_PACKET;
  return gate->is_plain ? follow(gate, gate->in.bytes, (size_t)count) : MOSQ_ERR_SUCCESS;
}

int cmosquitto_gate_in(cmosquitto_gate *gate, int *moved) {
  *moved = 0;
  if (!gate->in.count && !gate->has_ended) {
    int code = take(gate, moved);
    if (code) return code;
  }
  if (!gate->in.count) return MOSQ_ERR_SUCCESS;
  ssize_t count =
      send(gate->inside, gate->in.bytes + gate->in.first, gate->in.count, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (count > 0) {
    gate->in.first += (size_t)count;
    gate->in.count -= (size_t)count;
    *moved = 1;
  }
  return MOSQ_ERR_SUCCESS;
}

int cmosquitto_gate_out(cmosquitto_gate *gate) {
  if (!gate->out.count) {
    ssize_t count = recv(gate->inside, gate->out.bytes, PIECE, MSG_DONTWAIT);
    if (count <= 0) return 0;
    gate->out.first = 0;
    gate->out.count = (size_t)count;
  }
  ssize_t count =
      send(gate->broker, gate->out.bytes + gate->out.first, gate->out.count, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (count < 0) {
    if (errno == EAGAIN || errno == EINTR) return 0;
    // The broker has closed the connection, but bytes that arrived before can still be read.
    gate->failure = errno;
    gate->out.count = 0;
    return 0;
  }
  gate->out.first += (size_t)count;
  gate->out.count -= (size_t)count;
  return count > 0;
}
