// Resolves host names in a separate thread. A lookup can take half a minute in a bad network, and getaddrinfo(3) cannot
// be cancelled. The thread may therefore still run when its result is no longer needed.
//
// getaddrinfo_a(3) is not used because of an error in glibc: it stores a result before it takes its lock. If
// gai_suspend(3) returns at that moment, a pointer to its stack remains in a list that is read later.
#define _GNU_SOURCE
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cports.h"

// Size of the thread's stack. Modules of nsswitch.conf(5) have buffers on the stack.
#define STACK (1 << 20)

struct cports_lookup {
  pthread_mutex_t lock;
  pthread_cond_t is_done;
  // Number of users of this memory: the caller and the thread. The last one frees it.
  int owners;
  // 1 while the lookup runs; afterwards, the result of getaddrinfo.
  int code;
  struct addrinfo *found;
  char *host;
  char *port;
};

static void release(cports_lookup *lookup) {
  if (lookup->found) freeaddrinfo(lookup->found);
  pthread_cond_destroy(&lookup->is_done);
  pthread_mutex_destroy(&lookup->lock);
  free(lookup->host);
  free(lookup->port);
  free(lookup);
}

static void let_go(cports_lookup *lookup) {
  pthread_mutex_lock(&lookup->lock);
  int left = --lookup->owners;
  pthread_mutex_unlock(&lookup->lock);
  if (left == 0) release(lookup);
}

static void *look_up(void *argument) {
  cports_lookup *lookup = argument;
  const struct addrinfo wanted = {
      .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
  struct addrinfo *found = NULL;
  int code = getaddrinfo(lookup->host, lookup->port, &wanted, &found);
  pthread_mutex_lock(&lookup->lock);
  lookup->code = code;
  if (code == 0) lookup->found = found;
  pthread_cond_signal(&lookup->is_done);
  pthread_mutex_unlock(&lookup->lock);
  let_go(lookup);
  return NULL;
}

static int start(cports_lookup *lookup) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return -1;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, STACK);
  // The thread blocks all signals, so that other threads handle them.
  sigset_t all;
  sigfillset(&all);
  pthread_attr_setsigmask_np(&attributes, &all);
  pthread_t thread;
  int code = pthread_create(&thread, &attributes, look_up, lookup);
  pthread_attr_destroy(&attributes);
  return code;
}

cports_lookup *cports_lookup_begin(const char *host, const char *port) {
  cports_lookup *lookup = calloc(1, sizeof *lookup);
  if (!lookup) return NULL;
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&lookup->is_done, &clock);
  pthread_condattr_destroy(&clock);
  pthread_mutex_init(&lookup->lock, NULL);
  lookup->owners = 2;
  lookup->code = 1;
  lookup->host = strdup(host);
  lookup->port = strdup(port);
  if (!lookup->host || !lookup->port || start(lookup) != 0) {
    release(lookup);
    return NULL;
  }
  return lookup;
}

int cports_lookup_wait(cports_lookup *lookup, int milliseconds) {
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += milliseconds / 1000;
  end.tv_nsec += milliseconds % 1000 * 1000000L;
  if (end.tv_nsec >= 1000000000L) {
    end.tv_sec++;
    end.tv_nsec -= 1000000000L;
  }
  pthread_mutex_lock(&lookup->lock);
  int late = 0;
  while (lookup->code == 1 && !late) late = pthread_cond_timedwait(&lookup->is_done, &lookup->lock, &end);
  int code = lookup->code;
  pthread_mutex_unlock(&lookup->lock);
  return code;
}

int cports_lookup_address(const cports_lookup *lookup, int number, cports_address *found) {
  // After the lookup has ended, the thread no longer writes to this memory.
  const struct addrinfo *at = lookup->found;
  while (at && number-- > 0) at = at->ai_next;
  if (!at || at->ai_addrlen > sizeof found->address) return 0;
  memcpy(&found->address, at->ai_addr, at->ai_addrlen);
  found->length = at->ai_addrlen;
  return 1;
}

void cports_lookup_end(cports_lookup *lookup) { let_go(lookup); }

const char *cports_lookup_message(int code) { return gai_strerror(code); }
