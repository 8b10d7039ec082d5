#include <errno.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>

#include "cports.h"

int cports_timer_create(void) {
  int fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

int cports_timer_set(int fd, int64_t moment) {
  const struct itimerspec setting = {.it_value = {moment / 1000000000, moment % 1000000000}};
  return timerfd_settime(fd, TFD_TIMER_ABSTIME, &setting, NULL) < 0 ? -errno : 0;
}

int cports_event_create(void) {
  int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return fd < 0 ? -errno : fd;
}
