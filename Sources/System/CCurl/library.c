#include "library.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "ccurl.h"

struct ccurl_library ccurl_library;

static int loaded = -ENOSYS;
static char version[48];

static void load(void) {
  // Do not initialize GnuTLS (0.7 MB), which Debian's libcurl loads only for protocols that are not used here. A
  // libcurl that uses GnuTLS for TLS initializes it itself.
  setenv("GNUTLS_NO_IMPLICIT_INIT", "1", 0);
  void *handle = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
  if (!handle) return;
#define RESOLVE(name) \
  if (!(ccurl_library.name = (__typeof__(&name))dlsym(handle, #name))) return;
  FUNCTIONS(RESOLVE)
  if (ccurl_library.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return;
  snprintf(version, sizeof version, "libcurl/%s", ccurl_library.curl_version_info(CURLVERSION_NOW)->version);
  loaded = 0;
}

int ccurl_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return loaded;
}

const char *ccurl_version(void) { return version; }
