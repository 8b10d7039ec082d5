// Functions that Glibc's Swift module does not provide, because they need macros with casts, functions with a variable
// number of arguments, or structures of the kernel that conflict with those of libc. Unless noted otherwise, a function
// returns 0 or more on success and the negated errno on failure. No function keeps a state.
#pragma once

#include <stdint.h>
#include <sys/socket.h>

// Functions for serial ports (tty_ioctl(4), ioctl_tty(2)).

/// Sets raw mode, 8 data bits, no parity, 1 stop bit, no flow control, receiver on, modem lines ignored, and any rate
/// that the driver supports. The flag HUPCL, and therefore the lines DTR and RTS, remain unchanged. Returns the rate
/// that the driver reports.
int cports_tty_configure(int fd, uint32_t baud);
/// Returns the current rate; 0 if none is set.
int cports_tty_baud(int fd);
/// Asks the driver to deliver received bytes immediately instead of waiting for more.
int cports_tty_low_latency(int fd);
/// Returns 1 if another process has locked the port with TIOCEXCL; 0 if not, or if the driver does not report it.
int cports_tty_is_exclusive(int fd);
/// Returns 1 if the descriptor is the slave end of a pseudo-terminal (pty(7)), otherwise 0.
int cports_tty_is_pseudo_terminal(int fd);
/// Sets or removes the lock of a port (TIOCEXCL). While a port is locked, only root can open it again.
int cports_tty_set_exclusive(int fd, int exclusive);
/// Discards bytes that were received but not read.
int cports_tty_discard_input(int fd);

/// Creates a pseudo-terminal in raw mode (pty(7)). Returns its master end, which is non-blocking and is closed by exec.
/// Writes the path of its slave end to `path`, which has room for `size` characters.
int cports_pty_open(char *path, uint32_t size);

// Functions for waiting.

/// Creates a timer of the clock CLOCK_BOOTTIME. Its descriptor becomes readable when the timer expires.
int cports_timer_create(void);
/// Sets the time at which the timer expires, in ns of CLOCK_BOOTTIME. With 0, the timer never expires.
int cports_timer_set(int fd, int64_t moment);
/// Creates a counter (eventfd(2)). Its descriptor is readable while the counter is not 0.
int cports_event_create(void);
/// Creates a set of descriptors (epoll(7)). poll(2) reports the set as readable while one of them is ready.
int cports_watch_create(void);
/// Adds a descriptor to a set, or changes the events of poll(2) for which the set waits. POLLHUP and POLLERR are always
/// included. `number` identifies the descriptor in cports_ready. A closed descriptor is removed automatically.
int cports_watch_set(int watch, int fd, uint32_t events, uint32_t number);
/// A ready descriptor of a set.
typedef struct {
  /// The number with which cports_watch_set added the descriptor.
  uint32_t number;
  /// The events of poll(2) for which the descriptor is ready.
  uint32_t events;
} cports_ready;
/// Stores at most `count` ready descriptors of a set. Returns their number.
int cports_watch_ready(int watch, cports_ready *ready, int count);

// Functions for sockets.

/// An IPv4 or IPv6 address for connect(2).
typedef struct {
  struct sockaddr_storage address;
  socklen_t length;
} cports_address;

/// A lookup of a host name. If its caller no longer needs it, its memory is freed only when the lookup has ended,
/// because it cannot be cancelled.
typedef struct cports_lookup cports_lookup;

/// Begins a lookup. `port` is a decimal number. Returns NULL if there is no memory or no thread can be created.
cports_lookup *cports_lookup_begin(const char *host, const char *port);
/// Waits for the end of a lookup, at most `milliseconds`. Returns 1 if the lookup has not ended, 0 if it was
/// successful, or a negative error code of getaddrinfo(3).
int cports_lookup_wait(cports_lookup *lookup, int milliseconds);
/// Stores the address with index `number`, from 0, which a successful lookup has found. The preferred address is the
/// first. Returns 0 if there is no address with this index.
int cports_lookup_address(const cports_lookup *lookup, int number, cports_address *found);
/// Frees a lookup, whether it has ended or not.
void cports_lookup_end(cports_lookup *lookup);
/// Returns the message for an error code of cports_lookup_wait.
const char *cports_lookup_message(int code);

/// Connects to a local socket (unix(7)) at a path. It may block.
int cports_local_connect(const char *path);
/// Creates a local socket at a path, with file permissions `mode`, and listens at it. An existing socket at which no
/// process listens is replaced. Returns -EADDRINUSE if a process listens there, and -ENOTSOCK if the path is not a
/// socket.
int cports_local_listen(const char *path, unsigned int mode);
/// Listens for TCP connections at an address.
int cports_listen(const cports_address *at);
/// Returns the TCP port at which a socket listens.
int cports_listening_port(int fd);
/// Accepts the next connection. The new socket is non-blocking. Returns -EAGAIN if no connection waits.
int cports_accept(int fd);

// Functions for Bluetooth sockets. They use the kernel's structures, so that no Bluetooth library is needed.

/// The six bytes of a device's address, in the order in which addresses are written.
typedef struct {
  uint8_t bytes[6];
} cports_bluetooth_address;

/// Creates a non-blocking stream socket for RFCOMM, the protocol of Bluetooth's serial ports.
int cports_rfcomm_socket(void);
int cports_rfcomm_connect(int fd, cports_bluetooth_address address, uint8_t channel);
/// Creates a non-blocking packet socket for L2CAP, the protocol below RFCOMM.
int cports_l2cap_socket(void);
/// Connects a socket to a device. `psm` is the protocol/service multiplexer: 1 for service discovery.
int cports_l2cap_connect(int fd, cports_bluetooth_address address, uint16_t psm);
