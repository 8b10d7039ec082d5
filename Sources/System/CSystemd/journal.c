#define _GNU_SOURCE
#include "csystemd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

int csystemd_is_journal(int stream) {
  // JOURNAL_STREAM contains the device and inode to which stdout and stderr were connected at the start
  // (systemd.exec(5)).
  const char *told = secure_getenv("JOURNAL_STREAM");
  unsigned long long device, inode;
  struct stat status;
  if (!told || sscanf(told, "%llu:%llu", &device, &inode) != 2 || fstat(stream, &status) != 0) return 0;
  return status.st_dev == device && status.st_ino == inode;
}

int csystemd_journal_open(int stream) {
  if (!csystemd_is_journal(stream)) return -ENOENT;
  const char *path = secure_getenv("OBDGATED_JOURNAL");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (!path) path = "/run/systemd/journal/socket";
  if (strlen(path) >= sizeof address.sun_path) return -ENAMETOOLONG;
  strcpy(address.sun_path, path);
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -errno;
  if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
  int code = errno;
  close(descriptor);
  return -code;
}

int csystemd_journal_send(int journal, const uint8_t *entry, size_t size) {
  ssize_t sent = send(journal, entry, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent < 0 ? -errno : 0;
}
