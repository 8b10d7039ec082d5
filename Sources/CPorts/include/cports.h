// What Glibc's Swift module has no name for: macros with casts, variadic calls, and kernel structures that clash with
// those of libc. Every function returns 0 or more, or the negated errno; none keeps anything.
#pragma once

#include <stdint.h>
#include <sys/socket.h>

// Serial lines (tty_ioctl(4), ioctl_tty(2)).

/// Raw mode, 8N1, no flow control, receiver on, modem lines ignored, at any rate that the driver takes; leaves HUPCL, and
/// so DTR and RTS, as they are. Returns the rate that the driver says it set.
int cports_tty_configure(int fd, uint32_t baud);
/// The rate of the line now, 0 where it has none.
int cports_tty_baud(int fd);
/// Asks the driver to hand bytes on at once instead of waiting for more.
int cports_tty_low_latency(int fd);
/// 1 where somebody has claimed the line by TIOCEXCL, 0 where not or where the driver cannot tell.
int cports_tty_is_exclusive(int fd);
/// 1 where it is the device's end of a pseudo-terminal.
int cports_tty_is_pseudo_terminal(int fd);
/// Claims the line or gives it back; from then on only root can open it a second time.
int cports_tty_set_exclusive(int fd, int exclusive);
/// Forgets bytes received and not read.
int cports_tty_discard_input(int fd);

/// Makes a pseudo-terminal, raw, and returns the device's end, which closes on exec and does not block; the path of the
/// other end goes to `path`.
int cports_pty_open(char *path, uint32_t size);

// Waiting.

/// A timer on CLOCK_BOOTTIME: readable once its moment has come.
int cports_timer_create(void);
/// Sets its moment in nanoseconds of that clock; 0: none.
int cports_timer_set(int fd, int64_t moment);
/// A counter that is readable while it is not 0.
int cports_event_create(void);
/// A descriptor that poll(2) calls readable while one of others is ready (epoll(7)).
int cports_watch_create(void);
/// Watches a descriptor for the events of poll(2), POLLHUP and POLLERR always among them, from now on or otherwise than
/// before. One that is closed is forgotten.
int cports_watch_set(int watch, int fd, uint32_t events, uint32_t number);
/// One of them that is ready: the number that it was given, and what it is ready for.
typedef struct {
  uint32_t number;
  uint32_t events;
} cports_ready;
/// Which are ready now, `count` of them at most; returns how many.
int cports_watch_ready(int watch, cports_ready *ready, int count);

// Sockets.

/// An IPv4 or IPv6 address in the form that connect(2) takes.
typedef struct {
  struct sockaddr_storage address;
  socklen_t length;
} cports_address;

/// A look-up under way; its memory outlives a look-up that cannot be stopped.
typedef struct cports_lookup cports_lookup;

/// Begins to look a host up; `port` in decimal digits. NULL without memory or threads.
cports_lookup *cports_lookup_begin(const char *host, const char *port);
/// Waits so many milliseconds. 1: not finished. 0: finished. Negative: the code of getaddrinfo(3).
int cports_lookup_wait(cports_lookup *lookup, int milliseconds);
/// The address of that number, from 0, best first, of a look-up that has finished; 0 where there are no more.
int cports_lookup_address(const cports_lookup *lookup, int number, cports_address *found);
/// Ends a look-up, finished or not.
void cports_lookup_end(cports_lookup *lookup);
/// What a code of cports_lookup_wait means.
const char *cports_lookup_message(int code);

/// Connects to a socket of this machine by its path (unix(7)); blocks.
int cports_local_connect(const char *path);
/// Listens at a path, with the mode given; a socket that nobody listens at any more makes room. -EADDRINUSE where somebody
/// does, -ENOTSOCK where something else is there.
int cports_local_listen(const char *path, unsigned int mode);
/// Listens at an address for TCP.
int cports_listen(const cports_address *at);
/// At which port it listens.
int cports_listening_port(int fd);
/// Takes the next that has come; not blocking. -EAGAIN: nobody has.
int cports_accept(int fd);

// Bluetooth sockets. The layouts are the kernel's; taking them from here needs no Bluetooth library.

/// The six bytes of a device's address, the first written one first.
typedef struct {
  uint8_t bytes[6];
} cports_bluetooth_address;

/// A stream socket for RFCOMM, not blocking.
int cports_rfcomm_socket(void);
int cports_rfcomm_connect(int fd, cports_bluetooth_address address, uint8_t channel);
/// A packet socket for L2CAP, not blocking.
int cports_l2cap_socket(void);
/// `psm`: protocol/service multiplexer, 1 for service discovery.
int cports_l2cap_connect(int fd, cports_bluetooth_address address, uint16_t psm);
