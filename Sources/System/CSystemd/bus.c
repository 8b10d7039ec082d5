#define _GNU_SOURCE
#include "csystemd.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <systemd/sd-bus.h>

// The functions of the library that this module uses. Their types come from the library's headers.
#define FUNCTIONS(F)                \
  F(sd_bus_open_system)             \
  F(sd_bus_new)                     \
  F(sd_bus_set_address)             \
  F(sd_bus_set_bus_client)          \
  F(sd_bus_start)                   \
  F(sd_bus_close_unref)             \
  F(sd_bus_get_fd)                  \
  F(sd_bus_get_events)              \
  F(sd_bus_process)                 \
  F(sd_bus_send)                    \
  F(sd_bus_message_new_method_call) \
  F(sd_bus_message_new_method_return) \
  F(sd_bus_message_new_method_error)  \
  F(sd_bus_message_set_auto_start)  \
  F(sd_bus_message_open_container)  \
  F(sd_bus_message_append_basic)    \
  F(sd_bus_message_append_array)    \
  F(sd_bus_message_close_container) \
  F(sd_bus_message_unref)           \
  F(sd_bus_message_get_type)        \
  F(sd_bus_message_get_reply_cookie)  \
  F(sd_bus_message_get_sender)      \
  F(sd_bus_message_get_path)        \
  F(sd_bus_message_get_interface)   \
  F(sd_bus_message_get_member)      \
  F(sd_bus_message_get_error)       \
  F(sd_bus_message_enter_container) \
  F(sd_bus_message_exit_container)  \
  F(sd_bus_message_read_basic)      \
  F(sd_bus_message_read_array)      \
  F(sd_bus_message_at_end)          \
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

int csystemd_bus_open(const char *address, csystemd_bus **bus) {
  sd_bus *opened = NULL;
  int code;
  if (!address) {
    code = library.sd_bus_open_system(&opened);
  } else {
    code = library.sd_bus_new(&opened);
    if (code >= 0) code = library.sd_bus_set_address(opened, address);
    if (code >= 0) code = library.sd_bus_set_bus_client(opened, 1);
    if (code >= 0) code = library.sd_bus_start(opened);
  }
  if (code < 0 && opened) {
    library.sd_bus_close_unref(opened);
    opened = NULL;
  }
  *bus = (csystemd_bus *)opened;
  return code;
}

void csystemd_bus_close(csystemd_bus *bus) { library.sd_bus_close_unref(of_bus(bus)); }

int csystemd_bus_descriptor(csystemd_bus *bus) { return library.sd_bus_get_fd(of_bus(bus)); }

int csystemd_bus_events(csystemd_bus *bus) { return library.sd_bus_get_events(of_bus(bus)); }

int csystemd_bus_next(csystemd_bus *bus, csystemd_message **message) {
  sd_bus_message *came = NULL;
  int code = library.sd_bus_process(of_bus(bus), &came);
  *message = code < 0 ? NULL : (csystemd_message *)came;
  return code;
}

int csystemd_bus_send(csystemd_bus *bus, csystemd_message *message, uint64_t *cookie) {
  return library.sd_bus_send(of_bus(bus), of(message), cookie);
}

int csystemd_call(
    csystemd_bus *bus, const char *service, const char *path, const char *interface, const char *method,
    csystemd_message **message) {
  sd_bus_message *call = NULL;
  int code = library.sd_bus_message_new_method_call(of_bus(bus), &call, service, path, interface, method);
  if (code >= 0) code = library.sd_bus_message_set_auto_start(call, 0);
  *message = (csystemd_message *)call;
  return code;
}

int csystemd_answer(csystemd_message *call, csystemd_message **message) {
  sd_bus_message *answer = NULL;
  int code = library.sd_bus_message_new_method_return(of(call), &answer);
  *message = (csystemd_message *)answer;
  return code;
}

int csystemd_refusal(csystemd_message *call, const char *name, const char *text, csystemd_message **message) {
  sd_bus_message *answer = NULL;
  const sd_bus_error error = {.name = name, .message = text};
  int code = library.sd_bus_message_new_method_error(of(call), &answer, &error);
  *message = (csystemd_message *)answer;
  return code;
}

int csystemd_append_text(csystemd_message *message, char type, const char *text) {
  return library.sd_bus_message_append_basic(of(message), type, text);
}

int csystemd_append_bool(csystemd_message *message, int value) {
  return library.sd_bus_message_append_basic(of(message), SD_BUS_TYPE_BOOLEAN, &value);
}

int csystemd_append_uint32(csystemd_message *message, uint32_t value) {
  return library.sd_bus_message_append_basic(of(message), SD_BUS_TYPE_UINT32, &value);
}

int csystemd_append_bytes(csystemd_message *message, const void *bytes, size_t count) {
  return library.sd_bus_message_append_array(of(message), SD_BUS_TYPE_BYTE, bytes, count);
}

int csystemd_open(csystemd_message *message, char type, const char *contents) {
  return library.sd_bus_message_open_container(of(message), type, contents);
}

int csystemd_close(csystemd_message *message) { return library.sd_bus_message_close_container(of(message)); }

void csystemd_message_release(csystemd_message *message) { library.sd_bus_message_unref(of(message)); }

int csystemd_kind(csystemd_message *message) {
  uint8_t type = 0;
  int code = library.sd_bus_message_get_type(of(message), &type);
  return code < 0 ? code : type;
}

uint64_t csystemd_cookie(csystemd_message *message) {
  uint64_t cookie = 0;
  return library.sd_bus_message_get_reply_cookie(of(message), &cookie) < 0 ? 0 : cookie;
}

const char *csystemd_sender(csystemd_message *message) { return library.sd_bus_message_get_sender(of(message)); }
const char *csystemd_path(csystemd_message *message) { return library.sd_bus_message_get_path(of(message)); }
const char *csystemd_interface(csystemd_message *message) { return library.sd_bus_message_get_interface(of(message)); }
const char *csystemd_member(csystemd_message *message) { return library.sd_bus_message_get_member(of(message)); }

const char *csystemd_failure_name(csystemd_message *message) {
  const sd_bus_error *error = library.sd_bus_message_get_error(of(message));
  return error ? error->name : NULL;
}

const char *csystemd_failure_text(csystemd_message *message) {
  const sd_bus_error *error = library.sd_bus_message_get_error(of(message));
  return error ? error->message : NULL;
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

int csystemd_read_uint16(csystemd_message *message, uint16_t *value) {
  return library.sd_bus_message_read_basic(of(message), SD_BUS_TYPE_UINT16, value);
}

int csystemd_read_bytes(csystemd_message *message, const void **bytes, size_t *count) {
  return library.sd_bus_message_read_array(of(message), SD_BUS_TYPE_BYTE, bytes, count);
}

int csystemd_read_descriptor(csystemd_message *message, int *descriptor) {
  int lent = -1;
  *descriptor = -1;
  int code = library.sd_bus_message_read_basic(of(message), SD_BUS_TYPE_UNIX_FD, &lent);
  if (code <= 0) return code;
  // The message closes its own file descriptor when it is freed, so the caller gets a duplicate.
  int own = fcntl(lent, F_DUPFD_CLOEXEC, 3);
  if (own < 0) return -errno;
  int flags = fcntl(own, F_GETFL);
  if (flags >= 0) fcntl(own, F_SETFL, flags | O_NONBLOCK);
  *descriptor = own;
  return code;
}

int csystemd_at_end(csystemd_message *message) { return library.sd_bus_message_at_end(of(message), 0); }

int csystemd_skip(csystemd_message *message, const char *types) {
  return library.sd_bus_message_skip(of(message), types);
}
