#include "csystemd.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <systemd/sd-bus.h>

// Each function of the library that is used; its type is taken from its own header.
#define FUNCTIONS(F)            \
  F(sd_bus_open_system)         \
  F(sd_bus_flush_close_unref)   \
  F(sd_bus_message_new_method_call) \
  F(sd_bus_message_set_auto_start)  \
  F(sd_bus_message_open_container)  \
  F(sd_bus_message_append_basic)    \
  F(sd_bus_message_close_container) \
  F(sd_bus_call)                \
  F(sd_bus_message_unref)       \
  F(sd_bus_error_free)          \
  F(sd_bus_process)             \
  F(sd_bus_wait)                \
  F(sd_bus_message_enter_container) \
  F(sd_bus_message_exit_container)  \
  F(sd_bus_message_read_basic)  \
  F(sd_bus_message_at_end)      \
  F(sd_bus_message_skip)

static struct {
#define POINTER(name) __typeof__(&name) name;
  FUNCTIONS(POINTER)
} library;

static int loaded = -ENOSYS;

static void load(void) {
  void *handle = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return;
#define RESOLVE(name) \
  if (!(library.name = (__typeof__(&name))dlsym(handle, #name))) return;
  FUNCTIONS(RESOLVE)
  loaded = 0;
}

int csystemd_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return loaded;
}

static sd_bus *of_bus(csystemd_bus *bus) { return (sd_bus *)bus; }
static sd_bus_message *of(csystemd_message *message) { return (sd_bus_message *)message; }

int csystemd_bus_open(csystemd_bus **bus) {
  sd_bus *opened = NULL;
  int code = library.sd_bus_open_system(&opened);
  *bus = code < 0 ? NULL : (csystemd_bus *)opened;
  return code;
}

void csystemd_bus_close(csystemd_bus *bus) { library.sd_bus_flush_close_unref(of_bus(bus)); }

/// Sends a call, waits for its answer, lets go of the call.
static int answered(
    csystemd_bus *bus, sd_bus_message *call, uint64_t microseconds, csystemd_message **answer, csystemd_error *error) {
  sd_bus_message *reply = NULL;
  sd_bus_error failure = SD_BUS_ERROR_NULL;
  int code = library.sd_bus_message_set_auto_start(call, 0);
  if (code >= 0) code = library.sd_bus_call(of_bus(bus), call, microseconds, &failure, &reply);
  if (code < 0) {
    snprintf(error->name, sizeof error->name, "%s", failure.name ? failure.name : "");
    snprintf(error->text, sizeof error->text, "%s", failure.message ? failure.message : "");
  }
  library.sd_bus_error_free(&failure);
  *answer = (csystemd_message *)reply;
  return code;
}

int csystemd_call(
    csystemd_bus *bus, const char *service, const char *path, const char *interface, const char *method,
    uint64_t microseconds, csystemd_message **answer, csystemd_error *error) {
  sd_bus_message *call = NULL;
  error->name[0] = error->text[0] = 0;
  *answer = NULL;
  int code = library.sd_bus_message_new_method_call(of_bus(bus), &call, service, path, interface, method);
  if (code >= 0) code = answered(bus, call, microseconds, answer, error);
  library.sd_bus_message_unref(call);
  return code;
}

/// Appends a dictionary of one text.
static int append_option(sd_bus_message *call, const char *key, const char *value) {
  int code = library.sd_bus_message_open_container(call, 'a', "{sv}");
  if (code >= 0) code = library.sd_bus_message_open_container(call, 'e', "sv");
  if (code >= 0) code = library.sd_bus_message_append_basic(call, 's', key);
  if (code >= 0) code = library.sd_bus_message_open_container(call, 'v', "s");
  if (code >= 0) code = library.sd_bus_message_append_basic(call, 's', value);
  for (int open = 0; open < 3 && code >= 0; open++) code = library.sd_bus_message_close_container(call);
  return code;
}

int csystemd_call_with_option(
    csystemd_bus *bus, const char *service, const char *path, const char *interface, const char *method,
    const char *key, const char *value, uint64_t microseconds, csystemd_message **answer, csystemd_error *error) {
  sd_bus_message *call = NULL;
  error->name[0] = error->text[0] = 0;
  *answer = NULL;
  int code = library.sd_bus_message_new_method_call(of_bus(bus), &call, service, path, interface, method);
  if (code >= 0) code = append_option(call, key, value);
  if (code >= 0) code = answered(bus, call, microseconds, answer, error);
  library.sd_bus_message_unref(call);
  return code;
}

void csystemd_message_release(csystemd_message *message) { library.sd_bus_message_unref(of(message)); }

int csystemd_bus_wait(csystemd_bus *bus, uint64_t microseconds) {
  int code = library.sd_bus_process(of_bus(bus), NULL);
  return code != 0 ? code : library.sd_bus_wait(of_bus(bus), microseconds);
}

int csystemd_enter(csystemd_message *message, char type, const char *contents) {
  return library.sd_bus_message_enter_container(of(message), type, contents);
}

int csystemd_exit(csystemd_message *message) { return library.sd_bus_message_exit_container(of(message)); }

int csystemd_read_text(csystemd_message *message, char type, const char **text) {
  return library.sd_bus_message_read_basic(of(message), type, (void *)text);
}

int csystemd_read_bool(csystemd_message *message, int *value) {
  return library.sd_bus_message_read_basic(of(message), SD_BUS_TYPE_BOOLEAN, value);
}

int csystemd_read_int16(csystemd_message *message, int16_t *value) {
  return library.sd_bus_message_read_basic(of(message), SD_BUS_TYPE_INT16, value);
}

int csystemd_at_end(csystemd_message *message) { return library.sd_bus_message_at_end(of(message), 0); }

int csystemd_skip(csystemd_message *message, const char *types) {
  return library.sd_bus_message_skip(of(message), types);
}
