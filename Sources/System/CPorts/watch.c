#define _GNU_SOURCE
#include <errno.h>
#include <sys/epoll.h>

#include "cports.h"

int cports_watch_create(void) {
  int fd = epoll_create1(EPOLL_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

int cports_watch_set(int watch, int fd, uint32_t events, uint32_t number) {
  struct epoll_event event = {.events = events, .data.u32 = number};
  if (epoll_ctl(watch, EPOLL_CTL_MOD, fd, &event) == 0) return 0;
  if (errno != ENOENT) return -errno;
  return epoll_ctl(watch, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

int cports_watch_ready(int watch, cports_ready *ready, int count) {
  struct epoll_event events[8];
  if (count > 8) count = 8;
  int found = epoll_wait(watch, events, count, 0);
  if (found < 0) return errno == EINTR ? 0 : -errno;
  for (int at = 0; at < found; at++) {
    ready[at].number = events[at].data.u32;
    ready[at].events = events[at].events;
  }
  return found;
}
