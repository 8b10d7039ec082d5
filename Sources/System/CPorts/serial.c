// The structure termios2 is only in the kernel's headers. They conflict with libc's <termios.h>, which is therefore not
// included.
#include <asm/termbits.h>
#include <errno.h>
#include <linux/serial.h>
#include <linux/tty_flags.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "cports.h"
#include "usual.h"

// <asm/ioctls.h> defines these numbers with the size of struct termios2, which <sys/ioctl.h> does not declare.
#ifndef TCGETS2
#define TCGETS2 _IOR('T', 0x2A, struct termios2)
#define TCSETS2 _IOW('T', 0x2B, struct termios2)
#endif

static uint32_t raw(uint32_t control) {
  control &= ~(uint32_t)(CSIZE | PARENB | PARODD | CSTOPB | CRTSCTS | CMSPAR | CBAUD | CBAUD << IBSHIFT);
  return control | CS8 | CREAD | CLOCAL;
}

/// Sets any rate, given by its number of bits per second.
static int configure_unusual(int fd, uint32_t baud) {
  struct termios2 line;
  if (ioctl(fd, TCGETS2, &line) < 0) return -errno;
  line.c_cflag = raw(line.c_cflag) | BOTHER;
  line.c_iflag = IGNBRK;
  line.c_oflag = 0;
  line.c_lflag = 0;
  line.c_ispeed = line.c_ospeed = baud;
  line.c_cc[VMIN] = 1;
  line.c_cc[VTIME] = 0;
  return ioctl(fd, TCSETS2, &line) < 0 ? -errno : 0;
}

int cports_tty_baud(int fd) {
  struct termios2 line;
  return ioctl(fd, TCGETS2, &line) < 0 ? -errno : (int)line.c_ospeed;
}

int cports_tty_configure(int fd, uint32_t baud) {
  // A rate of 0 would make the driver switch off DTR and RTS.
  if (baud == 0 || baud > 0x7FFFFFFF) return -EINVAL;
  // Set the rate by its code if it has one: other programs such as stty cannot read a rate that was set by its number.
  int code = cports_tty_configure_usual(fd, baud);
  if (code == -EINVAL) code = configure_unusual(fd, baud);
  if (code < 0) return code;
  // A driver may set a different rate and reports it only on request. If it does not report one, assume the requested
  // rate.
  int made = cports_tty_baud(fd);
  return made > 0 ? made : (int)baud;
}

int cports_tty_low_latency(int fd) {
  struct serial_struct line;
  if (ioctl(fd, TIOCGSERIAL, &line) < 0) return -errno;
  if (line.flags & ASYNC_LOW_LATENCY) return 0;
  line.flags |= ASYNC_LOW_LATENCY;
  return ioctl(fd, TIOCSSERIAL, &line) < 0 ? -errno : 0;
}

int cports_tty_is_exclusive(int fd) {
  int claimed = 0;
  return ioctl(fd, TIOCGEXCL, &claimed) == 0 && claimed;
}

int cports_tty_is_pseudo_terminal(int fd) {
  struct stat status;
  if (fstat(fd, &status) < 0 || !S_ISCHR(status.st_mode)) return 0;
  // These are UNIX98_PTY_SLAVE_MAJOR and the next seven numbers (the kernel's devices.txt).
  unsigned int number = major(status.st_rdev);
  return number >= 136 && number <= 143;
}

int cports_tty_set_exclusive(int fd, int exclusive) {
  return ioctl(fd, exclusive ? TIOCEXCL : TIOCNXCL) < 0 ? -errno : 0;
}

int cports_tty_discard_input(int fd) { return ioctl(fd, TCFLSH, TCIFLUSH) < 0 ? -errno : 0; }
