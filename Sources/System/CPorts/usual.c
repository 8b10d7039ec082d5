#include "usual.h"

#include <errno.h>
#include <termios.h>

/// The usual rates, which have a code in termios.
static const struct {
  uint32_t baud;
  speed_t code;
} usual[] = {
    {4800, B4800},       {9600, B9600},       {19200, B19200},     {38400, B38400},     {57600, B57600},
    {115200, B115200},   {230400, B230400},   {460800, B460800},   {500000, B500000},   {576000, B576000},
    {921600, B921600},   {1000000, B1000000}, {1152000, B1152000}, {1500000, B1500000}, {2000000, B2000000},
    {2500000, B2500000}, {3000000, B3000000}, {3500000, B3500000}, {4000000, B4000000},
};

int cports_tty_configure_usual(int fd, uint32_t baud) {
  struct termios line;
  if (tcgetattr(fd, &line) < 0) return -errno;
  for (unsigned at = 0; at < sizeof usual / sizeof *usual; at++) {
    if (usual[at].baud != baud) continue;
    line.c_cflag &= ~(tcflag_t)(CSIZE | PARENB | PARODD | CSTOPB | CRTSCTS);
    line.c_cflag |= CS8 | CREAD | CLOCAL;
    line.c_iflag = IGNBRK;
    line.c_oflag = 0;
    line.c_lflag = 0;
    line.c_cc[VMIN] = 1;
    line.c_cc[VTIME] = 0;
    cfsetispeed(&line, usual[at].code);
    cfsetospeed(&line, usual[at].code);
    return tcsetattr(fd, TCSANOW, &line) < 0 ? -errno : 0;
  }
  return -EINVAL;
}
