#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "cports.h"

int cports_pty_open(char *path, uint32_t size) {
  int fd = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return -errno;
  struct termios line;
  int code = 0;
  if (grantpt(fd) < 0 || unlockpt(fd) < 0) code = -errno;
  if (code == 0) code = -ptsname_r(fd, path, size);
  // Switch off the echo, which would return the device's output to it until the other end is configured.
  if (code == 0 && tcgetattr(fd, &line) == 0) {
    cfmakeraw(&line);
    tcsetattr(fd, TCSANOW, &line);
  }
  if (code == 0) return fd;
  close(fd);
  return code;
}
