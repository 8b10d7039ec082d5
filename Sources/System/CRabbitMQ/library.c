#include "library.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

struct crabbitmq_library crabbitmq_functions;

static int loaded = -ENOSYS;

static void load(void) {
  void *handle = dlopen("librabbitmq.so.4", RTLD_LAZY | RTLD_LOCAL);
  if (!handle) return;
#define RESOLVE(name) \
  if (!(library.name = (__typeof__(&name))dlsym(handle, #name))) return;
  FUNCTIONS(RESOLVE)
  loaded = 0;
}

int crabbitmq_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return loaded;
}
