// Address structures of the kernel's Bluetooth sockets (include/net/bluetooth: rfcomm.h, l2cap.h). They belong to the
// kernel's interface for programs, but neither its public headers nor libc's contain them.
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "cports.h"

enum { protocol_l2cap = 0, protocol_rfcomm = 3 };

/// The six bytes of an address, in reverse of the order in which addresses are written.
typedef struct __attribute__((packed)) {
  uint8_t reversed[6];
} wire_address;

struct sockaddr_rfcomm {
  sa_family_t family;
  wire_address address;
  uint8_t channel;
};

struct sockaddr_l2cap {
  sa_family_t family;
  uint16_t psm;
  wire_address address;
  uint16_t channel;
  uint8_t address_type;
};

static wire_address reversed(cports_bluetooth_address address) {
  wire_address result;
  for (int at = 0; at < 6; at++) result.reversed[at] = address.bytes[5 - at];
  return result;
}

static int made(int type, int protocol) {
  int fd = socket(AF_BLUETOOTH, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
  return fd < 0 ? -errno : fd;
}

int cports_rfcomm_socket(void) { return made(SOCK_STREAM, protocol_rfcomm); }

int cports_l2cap_socket(void) { return made(SOCK_SEQPACKET, protocol_l2cap); }

int cports_rfcomm_connect(int fd, cports_bluetooth_address address, uint8_t channel) {
  struct sockaddr_rfcomm peer = {.family = AF_BLUETOOTH, .address = reversed(address), .channel = channel};
  return connect(fd, (const struct sockaddr *)&peer, sizeof peer) < 0 ? -errno : 0;
}

int cports_l2cap_connect(int fd, cports_bluetooth_address address, uint16_t psm) {
  struct sockaddr_l2cap peer = {.family = AF_BLUETOOTH, .psm = htole16(psm), .address = reversed(address)};
  return connect(fd, (const struct sockaddr *)&peer, sizeof peer) < 0 ? -errno : 0;
}
