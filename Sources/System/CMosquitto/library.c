#include "library.h"

#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>

struct cmosquitto_library cmosquitto_functions;

static int loaded = -ENOSYS;

static void load(void) {
  void *handle = dlopen("libmosquitto.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!handle) return;
#define RESOLVE(name) \
  if (!(library.name = (__typeof__(&name))dlsym(handle, #name))) return;
  FUNCTIONS(RESOLVE)
  if (library.mosquitto_lib_init() != MOSQ_ERR_SUCCESS) return;
  loaded = 0;
}

int cmosquitto_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return loaded;
}

int cmosquitto_set_up(struct mosquitto *mosquitto, const cmosquitto_options *options) {
  int code = library.mosquitto_int_option(mosquitto, MOSQ_OPT_PROTOCOL_VERSION, options->protocol_version);
  if (!code) code = library.mosquitto_int_option(mosquitto, MOSQ_OPT_TCP_NODELAY, 1);
  if (!code && options->user) code = library.mosquitto_username_pw_set(mosquitto, options->user, options->password);
  if (!code && options->will_topic)
    code = library.mosquitto_will_set(
        mosquitto, options->will_topic, (int)strlen(options->will), options->will, 1, true);
  if (code || !options->uses_tls) return code;
  if (!options->authorities) code = library.mosquitto_int_option(mosquitto, MOSQ_OPT_TLS_USE_OS_CERTS, 1);
  // The path of a folder without certificates stands for "no file". The option set above selects the system's
  // certificates.
  if (!code && (options->authorities || options->certificate))
    code = library.mosquitto_tls_set(
        mosquitto, options->authorities, options->authorities ? NULL : "/etc/ssl/certs", options->certificate,
        options->key, NULL);
  if (!code) code = library.mosquitto_tls_opts_set(mosquitto, 1, NULL, NULL);
  return code;
}

int cmosquitto_is_connecting(int socket) {
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  return getpeername(socket, (struct sockaddr *)&address, &length) < 0 && errno == ENOTCONN;
}
