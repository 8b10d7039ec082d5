// Functions that Glibc's Swift module does not provide: macros with casts, variadic functions, and kernel structures
// that conflict with libc's. Every function returns 0 or more, or the negated errno. None keeps state.
#pragma once

#include <stdint.h>
#include <sys/socket.h>

// Serial ports (tty_ioctl(4), ioctl_tty(2)).

/// Sets raw mode, 8N1, no flow control, receiver on, modem lines ignored, and any rate that the driver supports. HUPCL,
/// and so DTR and RTS, are unchanged. Returns the rate reported by the driver.
int cports_tty_configure(int fd, uint32_t baud);
/// Returns the current rate; 0 if there is none.
int cports_tty_baud(int fd);
/// Asks the driver to deliver bytes immediately instead of waiting for more.
int cports_tty_low_latency(int fd);
/// Returns 1 if another process has locked the port by TIOCEXCL; 0 if not, or if the driver does not report it.
int cports_tty_is_exclusive(int fd);
/// Returns 1 for the device end of a pseudo-terminal.
int cports_tty_is_pseudo_terminal(int fd);
/// Sets or clears the lock. While it is set, only root can open the port again.
int cports_tty_set_exclusive(int fd, int exclusive);
/// Discards received bytes that have not been read.
int cports_tty_discard_input(int fd);

/// Creates a raw pseudo-terminal. Returns the device end, which is non-blocking and closes on exec. Writes the path of
/// the other end to `path`.
int cports_pty_open(char *path, uint32_t size);

// Waiting.

/// Creates a timer on CLOCK_BOOTTIME, which is readable after it expires.
int cports_timer_create(void);
/// Sets the time of expiry in ns of that clock; 0 for none.
int cports_timer_set(int fd, int64_t moment);
/// Creates a counter that is readable while it is not 0.
int cports_event_create(void);
/// Creates a descriptor that poll(2) reports as readable while one of a set of descriptors is ready (epoll(7)).
int cports_watch_create(void);
/// Watches a descriptor for events of poll(2), or changes its events. POLLHUP and POLLERR are always included. Closed
/// descriptors are removed automatically.
int cports_watch_set(int watch, int fd, uint32_t events, uint32_t number);
/// A ready descriptor: its number, and its events.
typedef struct {
  uint32_t number;
  uint32_t events;
} cports_ready;
/// Stores at most `count` ready descriptors. Returns how many.
int cports_watch_ready(int watch, cports_ready *ready, int count);

// Sockets.

/// An IPv4 or IPv6 address for connect(2).
typedef struct {
  struct sockaddr_storage address;
  socklen_t length;
} cports_address;

/// A name lookup. Its memory remains until a lookup that cannot be cancelled has ended.
typedef struct cports_lookup cports_lookup;

/// Begins a lookup. `port` is a decimal number. NULL without memory or threads.
cports_lookup *cports_lookup_begin(const char *host, const char *port);
/// Waits at most `milliseconds`. Returns 1 if the lookup has not ended, 0 if it has, or a negative code of
/// getaddrinfo(3).
int cports_lookup_wait(cports_lookup *lookup, int milliseconds);
/// Returns address `number` of a finished lookup, counted from 0, the preferred one first. Returns 0 if there are no
/// more.
int cports_lookup_address(const cports_lookup *lookup, int number, cports_address *found);
/// Ends a lookup, finished or not.
void cports_lookup_end(cports_lookup *lookup);
/// Returns the message for a code of cports_lookup_wait.
const char *cports_lookup_message(int code);

/// Connects to a local socket by its path (unix(7)). Blocks.
int cports_local_connect(const char *path);
/// Listens at a path with file permissions `mode`. Replaces a socket at which no process listens. Returns -EADDRINUSE
/// if a process listens there, -ENOTSOCK if the path is not a socket.
int cports_local_listen(const char *path, unsigned int mode);
/// Listens for TCP connections at an address.
int cports_listen(const cports_address *at);
/// Returns the port at which a socket listens.
int cports_listening_port(int fd);
/// Accepts the next connection, non-blocking. Returns -EAGAIN if there is none.
int cports_accept(int fd);

// Bluetooth sockets. The structures are the kernel's, so that no Bluetooth library is needed.

/// The six bytes of a device's address, in the order of writing.
typedef struct {
  uint8_t bytes[6];
} cports_bluetooth_address;

/// Creates a non-blocking stream socket for RFCOMM.
int cports_rfcomm_socket(void);
int cports_rfcomm_connect(int fd, cports_bluetooth_address address, uint8_t channel);
/// Creates a non-blocking packet socket for L2CAP.
int cports_l2cap_socket(void);
/// Connects. `psm`: protocol/service multiplexer, 1 for service discovery.
int cports_l2cap_connect(int fd, cports_bluetooth_address address, uint16_t psm);
