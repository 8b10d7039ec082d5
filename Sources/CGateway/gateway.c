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
  // A service's filter of system calls refuses the call, though it would only read. systemd-timesyncd makes this file
  // once it has set the clock.
  return access("/run/systemd/timesync/synchronized", F_OK) == 0;
}

// A signal handler has no other place to find them.
static atomic_int bell = -1;
static atomic_int ending = 0;
static atomic_int reload = 0;

static void caught(int number) {
  int before = errno;
  if (number == SIGHUP)
    atomic_store(&reload, 1);
  else
    atomic_store(&ending, 1);
  uint64_t one = 1;
  // A counter that is full rings already.
  ssize_t written = write(atomic_load(&bell), &one, sizeof one);
  (void)written;
  errno = before;
}

void cgateway_catch_signals(int event) {
  atomic_store(&bell, event);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = caught;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, NULL);
  // A limit of a file's size (RLIMIT_FSIZE): the write that fails says so, as on a full disk.
  sigaction(SIGXFSZ, &action, NULL);
}

int cgateway_is_ending(void) { return atomic_load(&ending); }
int cgateway_take_reload(void) { return atomic_exchange(&reload, 0); }
