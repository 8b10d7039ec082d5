// Counts the heap allocations of a program, for each thread. It is loaded with LD_PRELOAD, and supports only glibc.
//
// At the end of the program, and whenever it gets SIGUSR1, one block of lines is appended to the file that
// ALLOCATION_COUNTS names:
//
//     thread 4711 obdgate 1234        thread id, thread name, allocations so far (malloc, calloc, realloc, …)
//     peak 20480                      highest resident memory so far in KiB
//     end
//
// The peak is the kernel's VmHWM of this address space. (The ru_maxrss of a child would be that of the test that
// started it: Linux carries it over an exec.)

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// The allocator itself, under the names that glibc keeps for interposed libraries.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

#define THREADS 256

struct slot {
  _Atomic int thread;
  _Atomic uint64_t allocations;
};
static struct slot slots[THREADS];
static _Atomic int used;
static __thread struct slot *own __attribute__((tls_model("initial-exec")));
static char path[4096];

static void count(void) {
  if (!own) {
    int index = atomic_fetch_add(&used, 1);
    // If there are more threads than slots, they share the last one: a count that is too high is noticed, a lost one is not.
    own = &slots[index < THREADS ? index : THREADS - 1];
    atomic_store(&own->thread, (int)syscall(SYS_gettid));
  }
  atomic_fetch_add_explicit(&own->allocations, 1, memory_order_relaxed);
}

void *malloc(size_t size) { count(); return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { count(); return __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { count(); return __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { count(); return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { count(); return __libc_memalign(alignment, size); }
int posix_memalign(void **out, size_t alignment, size_t size) {
  count();
  void *memory = __libc_memalign(alignment, size);
  if (!memory) return ENOMEM;
  *out = memory;
  return 0;
}

// The functions below call only functions that a signal handler may call.

static char *text(char *at, const char *from) {
  while (*from) *at++ = *from++;
  return at;
}

static char *number(char *at, uint64_t value) {
  char digits[20];
  int length = 0;
  do digits[length++] = '0' + value % 10;
  while (value /= 10);
  while (length) *at++ = digits[--length];
  return at;
}

static size_t contents(const char *file, char *buffer, size_t size) {
  int in = open(file, O_RDONLY | O_CLOEXEC);
  if (in < 0) return 0;
  ssize_t got = read(in, buffer, size - 1);
  close(in);
  buffer[got > 0 ? got : 0] = 0;
  return got > 0 ? (size_t)got : 0;
}

static void report(void) {
  int before = errno;
  int out = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (out < 0) return;
  char line[256], file[64], read_in[4096];
  int threads = atomic_load(&used) < THREADS ? atomic_load(&used) : THREADS;
  for (int i = 0; i < threads; i++) {
    char *at = text(line, "thread ");
    at = number(at, (uint64_t)atomic_load(&slots[i].thread));
    at = text(at, " ");
    char *end = number(text(file, "/proc/self/task/"), (uint64_t)atomic_load(&slots[i].thread));
    *text(end, "/comm") = 0;
    if (contents(file, read_in, 32)) {
      read_in[strcspn(read_in, "\n")] = 0;
      at = text(at, read_in);
    } else {
      at = text(at, "ended");
    }
    at = text(at, " ");
    at = number(at, atomic_load(&slots[i].allocations));
    at = text(at, "\n");
    if (write(out, line, (size_t)(at - line)) < 0) break;
  }
  if (contents("/proc/self/status", read_in, sizeof read_in)) {
    const char *found = strstr(read_in, "VmHWM:");
    uint64_t peak = 0;
    for (found = found ? found + 6 : ""; *found == ' ' || *found == '\t'; found++) {}
    for (; *found >= '0' && *found <= '9'; found++) peak = peak * 10 + (uint64_t)(*found - '0');
    char *at = text(number(text(line, "peak "), peak), "\nend\n");
    if (write(out, line, (size_t)(at - line)) < 0) errno = before;
  }
  close(out);
  errno = before;
}

static void on_signal(int signal) {
  (void)signal;
  report();
}

__attribute__((constructor)) static void start(void) {
  const char *named = getenv("ALLOCATION_COUNTS");
  if (!named || strlen(named) >= sizeof path) return;
  strcpy(path, named);
  // Programs that this one starts are not the ones to be counted.
  unsetenv("LD_PRELOAD");
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
}

__attribute__((destructor)) static void finish(void) {
  if (path[0]) report();
}

// A program that ends without its libraries' exit handlers is counted, too.
__attribute__((noreturn)) void _exit(int status) {
  if (path[0]) report();
  for (;;) syscall(SYS_exit_group, status);
}
