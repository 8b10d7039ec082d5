// termios2 lives in the kernel's headers alone, and those clash with libc's <termios.h>: nothing else is included.
#include <asm/termbits.h>
#include <errno.h>
#include <linux/serial.h>
#include <linux/tty_flags.h>
#include <sys/ioctl.h>

#include "cports.h"

// <asm/ioctls.h> spells them with the size of struct termios2, which <sys/ioctl.h> does not know.
#ifndef TCGETS2
#define TCGETS2 _IOR('T', 0x2A, struct termios2)
#define TCSETS2 _IOW('T', 0x2B, struct termios2)
#endif

/// The rates that have a code of their own.
static const struct {
  uint32_t baud;
  uint32_t code;
} usual[] = {
    {4800, B4800},       {9600, B9600},       {19200, B19200},     {38400, B38400},     {57600, B57600},
    {115200, B115200},   {230400, B230400},   {460800, B460800},   {500000, B500000},   {576000, B576000},
    {921600, B921600},   {1000000, B1000000}, {1152000, B1152000}, {1500000, B1500000}, {2000000, B2000000},
    {2500000, B2500000}, {3000000, B3000000}, {3500000, B3500000}, {4000000, B4000000},
};

static uint32_t raw(uint32_t control) {
  control &= ~(uint32_t)(CSIZE | PARENB | PARODD | CSTOPB | CRTSCTS | CMSPAR | CBAUD | CBAUD << IBSHIFT);
  return control | CS8 | CREAD | CLOCAL;
}

static int configure_usual(int fd, uint32_t baud) {
  struct termios line;
  if (ioctl(fd, TCGETS, &line) < 0) return -errno;
  for (unsigned at = 0; at < sizeof usual / sizeof *usual; at++) {
    if (usual[at].baud != baud) continue;
    line.c_cflag = raw(line.c_cflag) | usual[at].code;
    line.c_iflag = IGNBRK;
    line.c_oflag = 0;
    line.c_lflag = 0;
    line.c_cc[VMIN] = 1;
    line.c_cc[VTIME] = 0;
    return ioctl(fd, TCSETS, &line) < 0 ? -errno : (int)baud;
  }
  return -EINVAL;
}

int cports_tty_configure(int fd, uint32_t baud) {
  // Rate 0 is no rate: it drops DTR and RTS.
  if (baud == 0 || baud > 0x7FFFFFFF) return -EINVAL;
  struct termios2 line;
  if (ioctl(fd, TCGETS2, &line) < 0) return errno == ENOTTY || errno == EINVAL ? configure_usual(fd, baud) : -errno;
  line.c_cflag = raw(line.c_cflag) | BOTHER;
  line.c_iflag = IGNBRK;
  line.c_oflag = 0;
  line.c_lflag = 0;
  line.c_ispeed = line.c_ospeed = baud;
  line.c_cc[VMIN] = 1;
  line.c_cc[VTIME] = 0;
  if (ioctl(fd, TCSETS2, &line) < 0) return -errno;
  // A driver sets what its clock can make and says so only when asked.
  if (ioctl(fd, TCGETS2, &line) < 0) return -errno;
  return (int)line.c_ospeed;
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

int cports_tty_set_exclusive(int fd, int exclusive) {
  return ioctl(fd, exclusive ? TIOCEXCL : TIOCNXCL) < 0 ? -errno : 0;
}

int cports_tty_discard_input(int fd) { return ioctl(fd, TCFLSH, TCIFLUSH) < 0 ? -errno : 0; }
