// Intercepts a program's calls for its files. It is loaded with LD_PRELOAD, and supports only glibc.
//
// STORAGE_FOLDER is the prefix of the paths of the affected files. SQLite's shared memory (`-shm`) is ignored, because it
// does not survive a power cut.
//
// STORAGE_LOG: a file to which every change is written, in order, so that a test can compute the files that a power
// cut would have left:
//
//     C path                     made
//     W path offset length       length bytes follow, and a line feed
//     T path length              cut or extended
//     S path                     its content is durable: fsync, fdatasync
//     D path                     the names in this folder are durable
//     U path                     removed
//     R path path                renamed
//     M length                   length bytes follow: the program wrote them to standard output
//
// STORAGE_WITHOUT: the name of a library that the program does not find.
//
// STORAGE_FAULT: a file with a number; while it is not 0, every change fails with this errno.
//
// STORAGE_HELD: a file; while it exists, calls that make data durable wait.
//
// A program that closes a closed file is aborted, whatever is set.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define FILES 1024

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *paths[FILES];
static int kinds[FILES];  // 0 not meant, 1 file, 2 folder
static int output = -1;
static const char *folder;
static const char *fault;
static const char *held;

__attribute__((constructor)) static void start(void) {
  folder = getenv("STORAGE_FOLDER");
  fault = getenv("STORAGE_FAULT");
  held = getenv("STORAGE_HELD");
  const char *log = getenv("STORAGE_LOG");
  if (log) output = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

void *dlopen(const char *name, int flags) {
  const char *without = getenv("STORAGE_WITHOUT");
  if (without && name && strcmp(name, without) == 0) return NULL;
  void *(*real)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
  return real(name, flags);
}

static int is_meant(const char *path) {
  if (!folder || strncmp(path, folder, strlen(folder)) != 0) return 0;
  size_t length = strlen(path);
  return length < 4 || strcmp(path + length - 4, "-shm") != 0;
}

// Returns the errno with which a change must fail; 0 for none.
static int failing(void) {
  if (!fault) return 0;
  int file = (int)syscall(SYS_openat, AT_FDCWD, fault, O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return 0;
  char text[16] = {0};
  long count = syscall(SYS_read, file, text, sizeof text - 1);
  syscall(SYS_close, file);
  return count > 0 ? atoi(text) : 0;
}

static void put(const void *bytes, size_t count) {
  const char *at = bytes;
  while (count > 0) {
    long written = syscall(SYS_write, output, at, count);
    if (written <= 0) abort();
    at += written;
    count -= (size_t)written;
  }
}

static void note(const char *head, const void *bytes, size_t count) {
  if (output < 0) return;
  pthread_mutex_lock(&lock);
  put(head, strlen(head));
  if (bytes) {
    put(bytes, count);
    put("\n", 1);
  }
  pthread_mutex_unlock(&lock);
}

static int kind(int file) { return file >= 0 && file < FILES ? kinds[file] : 0; }

static int opened(int file, const char *path, int was_there) {
  if (file < 0 || file >= FILES || !is_meant(path)) return file;
  int before = errno;
  struct stat status;
  char head[PATH_MAX + 8];
  free(paths[file]);
  paths[file] = strdup(path);
  kinds[file] = fstat(file, &status) == 0 && S_ISDIR(status.st_mode) ? 2 : 1;
  if (!was_there) {
    snprintf(head, sizeof head, "C %s\n", path);
    note(head, NULL, 0);
  }
  errno = before;
  return file;
}

static int open_any(const char *path, int flags, mode_t mode) {
  int was_there = syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
  if (is_meant(path) && flags & O_CREAT && !was_there) {
    int code = failing();
    if (code) {
      errno = code;
      return -1;
    }
  }
  return opened((int)syscall(SYS_openat, AT_FDCWD, path, flags, mode), path, was_there || !(flags & O_CREAT));
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_any(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_any(path, flags | O_LARGEFILE, mode);
}

int close(int file) {
  if (file >= 0 && file < FILES) kinds[file] = 0;
  int code = (int)syscall(SYS_close, file);
  if (code != 0 && errno == EBADF && file >= 0) {
    // A moment later, the number could have belonged to a file of another thread.
    char line[64];
    int count = snprintf(line, sizeof line, "file %d was closed twice\n", file);
    syscall(SYS_write, 2, line, (size_t)count);
    abort();
  }
  return code;
}

// Whether a change of this file must fail now.
static int is_refused(int file) {
  int code = kind(file) ? failing() : 0;
  if (code) errno = code;
  return code != 0;
}

static void note_write(int file, const void *bytes, ssize_t count, off_t offset) {
  char head[PATH_MAX + 64];
  if (count < 0 || kind(file) != 1) return;
  int before = errno;
  snprintf(head, sizeof head, "W %s %lld %zd\n", paths[file], (long long)offset, count);
  note(head, bytes, (size_t)count);
  errno = before;
}

ssize_t write(int file, const void *bytes, size_t count) {
  if (is_refused(file)) return -1;
  off_t offset = kind(file) == 1 ? (off_t)syscall(SYS_lseek, file, 0, SEEK_CUR) : 0;
  ssize_t written = syscall(SYS_write, file, bytes, count);
  if (file == STDOUT_FILENO && written > 0) {
    char head[32];
    int before = errno;
    snprintf(head, sizeof head, "M %zd\n", written);
    note(head, bytes, (size_t)written);
    errno = before;
  }
  note_write(file, bytes, written, offset);
  return written;
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  if (is_refused(file)) return -1;
  ssize_t written = syscall(SYS_pwrite64, file, bytes, count, offset);
  note_write(file, bytes, written, offset);
  return written;
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  return pwrite64(file, bytes, count, offset);
}

int ftruncate64(int file, off64_t length) {
  if (is_refused(file)) return -1;
  int result = (int)syscall(SYS_ftruncate, file, length);
  if (result == 0 && kind(file) == 1) {
    char head[PATH_MAX + 32];
    snprintf(head, sizeof head, "T %s %lld\n", paths[file], (long long)length);
    note(head, NULL, 0);
  }
  return result;
}

int ftruncate(int file, off_t length) { return ftruncate64(file, length); }

static int synchronise(int file, int call) {
  if (is_refused(file)) return -1;
  while (held && kind(file) && syscall(SYS_faccessat, AT_FDCWD, held, F_OK) == 0) usleep(5000);
  int result = (int)syscall(call, file);
  if (result == 0 && kind(file)) {
    char head[PATH_MAX + 8];
    snprintf(head, sizeof head, "%c %s\n", kind(file) == 2 ? 'D' : 'S', paths[file]);
    note(head, NULL, 0);
  }
  return result;
}

int fsync(int file) { return synchronise(file, SYS_fsync); }
int fdatasync(int file) { return synchronise(file, SYS_fdatasync); }

int unlink(const char *path) {
  if (is_meant(path)) {
    int code = failing();
    if (code) {
      errno = code;
      return -1;
    }
  }
  int result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  if (result == 0 && is_meant(path)) {
    char head[PATH_MAX + 8];
    snprintf(head, sizeof head, "U %s\n", path);
    note(head, NULL, 0);
  }
  return result;
}

int rename(const char *from, const char *to) {
  if (is_meant(from)) {
    int code = failing();
    if (code) {
      errno = code;
      return -1;
    }
  }
  int result = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  if (result == 0 && is_meant(from)) {
    char head[2 * PATH_MAX + 8];
    snprintf(head, sizeof head, "R %s %s\n", from, to);
    note(head, NULL, 0);
  }
  return result;
}
