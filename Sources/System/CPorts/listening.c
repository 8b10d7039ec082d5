#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cports.h"

// Number of connections that may wait to be accepted. The kernel rejects further non-blocking attempts to connect
// (connect(2), EAGAIN).
static const int backlog = 128;

// A path may have at most 107 bytes (unix(7)).
static int local_address(const char *path, struct sockaddr_un *address, socklen_t *size) {
  size_t length = strlen(path);
  if (length == 0 || length >= sizeof address->sun_path) return -ENAMETOOLONG;
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path, path, length);
  *size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1);
  return 0;
}

static int closed(int descriptor, int code) {
  close(descriptor);
  return -code;
}

static int local_connect(const char *path, int flags) {
  struct sockaddr_un address;
  socklen_t size;
  int code = local_address(path, &address, &size);
  if (code < 0) return code;
  int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
  if (descriptor < 0) return -errno;
  if (connect(descriptor, (struct sockaddr *)&address, size) != 0) return closed(descriptor, errno);
  return descriptor;
}

int cports_local_connect(const char *path) { return local_connect(path, 0); }

int cports_local_listen(const char *path, unsigned int mode) {
  struct sockaddr_un address;
  socklen_t size;
  int code = local_address(path, &address, &size);
  if (code < 0) return code;
  int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -errno;
  if (bind(descriptor, (struct sockaddr *)&address, size) != 0) {
    if (errno != EADDRINUSE) return closed(descriptor, errno);
    // Only a socket is deleted, and only if no process answers at it, because its process has ended.
    struct stat status;
    if (lstat(path, &status) != 0) return closed(descriptor, EADDRINUSE);
    if (!S_ISSOCK(status.st_mode)) return closed(descriptor, ENOTSOCK);
    // A socket with a full queue of connections is in use, too.
    int other = local_connect(path, SOCK_NONBLOCK);
    if (other >= 0) close(other);
    if (other != -ECONNREFUSED) return closed(descriptor, EADDRINUSE);
    if (unlink(path) != 0 || bind(descriptor, (struct sockaddr *)&address, size) != 0) return closed(descriptor, errno);
  }
  // A process can connect only after listen(2).
  if (chmod(path, mode) != 0 || listen(descriptor, backlog) != 0) {
    int failure = errno;
    unlink(path);
    return closed(descriptor, failure);
  }
  return descriptor;
}

int cports_listen(const cports_address *at) {
  int descriptor = socket(at->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -errno;
  int on = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(descriptor, (const struct sockaddr *)&at->address, at->length) != 0 || listen(descriptor, backlog) != 0) {
    return closed(descriptor, errno);
  }
  return descriptor;
}

int cports_listening_port(int descriptor) {
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  if (getsockname(descriptor, (struct sockaddr *)&address, &size) != 0) return -errno;
  if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
  return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
}

int cports_accept(int descriptor) {
  int accepted = accept4(descriptor, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  return accepted < 0 ? -errno : accepted;
}
