#define _GNU_SOURCE
#include "csystemd.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int csystemd_notify(const char *state) {
  const char *path = secure_getenv("NOTIFY_SOCKET");
  if (!path) return 0;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  // Addresses of other families (vsock:…) are for virtual machines, not for services.
  if ((path[0] != '/' && path[0] != '@') || length < 2 || length >= sizeof address.sun_path) return -EAFNOSUPPORT;
  memcpy(address.sun_path, path, length);
  if (path[0] == '@') address.sun_path[0] = 0;
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -errno;
  ssize_t sent = sendto(descriptor, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address, size);
  int code = sent < 0 ? -errno : 1;
  close(descriptor);
  return code;
}

int64_t csystemd_watchdog(void) {
  const char *limit = secure_getenv("WATCHDOG_USEC");
  const char *process = secure_getenv("WATCHDOG_PID");
  if (!limit || (process && strtoll(process, NULL, 10) != getpid())) return 0;
  char *end;
  errno = 0;
  long long microseconds = strtoll(limit, &end, 10);
  return errno || end == limit || *end || microseconds <= 0 ? 0 : microseconds;
}
