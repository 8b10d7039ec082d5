#define _GNU_SOURCE
#include "cgateway.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/timex.h>
#include <unistd.h>

void cgateway_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

void cgateway_share_heap(void) { mallopt(M_ARENA_MAX, 1); }

void cgateway_give_back_memory(void) { malloc_trim(0); }

int cgateway_clock_is_synchronised(void) {
  struct timex state;
  memset(&state, 0, sizeof state);
  if (adjtimex(&state) >= 0) return (state.status & STA_UNSYNC) == 0;
  // The system call filter of a service may reject adjtimex, although this call only reads. systemd-timesyncd creates
  // this file after it has set the clock.
  return access("/run/systemd/timesync/synchronized", F_OK) == 0;
}

// These variables are global, because a signal handler has no argument for them.
static atomic_int wake_event = -1;
static atomic_int ending = 0;
static atomic_int reload = 0;

static void handle_signal(int number) {
  int before = errno;
  if (number == SIGHUP)
    atomic_store(&reload, 1);
  else
    atomic_store(&ending, 1);
  uint64_t one = 1;
  // The write fails if the counter has its maximum value. It is then readable already.
  ssize_t written = write(atomic_load(&wake_event), &one, sizeof one);
  (void)written;
  errno = before;
}

void cgateway_catch_signals(int event) {
  atomic_store(&wake_event, event);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, NULL);
  // SIGXFSZ is ignored: a write beyond the limit of file sizes (RLIMIT_FSIZE) then fails with an error, as on a full
  // disk.
  sigaction(SIGXFSZ, &action, NULL);
}

int cgateway_is_ending(void) { return atomic_load(&ending); }
int cgateway_take_reload(void) { return atomic_exchange(&reload, 0); }
