// Functions of libmosquitto, which is loaded at run time.
#pragma once

#include "cmosquitto.h"

#include <mosquitto.h>
#include <mqtt_protocol.h>

// The functions of the library that this module uses. Their types come from the library's headers.
#define FUNCTIONS(F)                      \
  F(mosquitto_lib_init)                   \
  F(mosquitto_new)                        \
  F(mosquitto_destroy)                    \
  F(mosquitto_int_option)                 \
  F(mosquitto_username_pw_set)            \
  F(mosquitto_will_set)                   \
  F(mosquitto_tls_set)                    \
  F(mosquitto_tls_opts_set)               \
  F(mosquitto_connect_v5_callback_set)    \
  F(mosquitto_subscribe_v5_callback_set)  \
  F(mosquitto_message_v5_callback_set)    \
  F(mosquitto_threaded_set)               \
  F(mosquitto_connect_bind_v5)            \
  F(mosquitto_property_add_int32)         \
  F(mosquitto_property_free_all)          \
  F(mosquitto_subscribe)                  \
  F(mosquitto_loop_read)                  \
  F(mosquitto_loop_write)                 \
  F(mosquitto_loop_misc)                  \
  F(mosquitto_disconnect_v5_callback_set) \
  F(mosquitto_publish_v5_callback_set)    \
  F(mosquitto_property_read_int16)        \
  F(mosquitto_property_read_int32)        \
  F(mosquitto_connect_async)              \
  F(mosquitto_socks5_set)                 \
  F(mosquitto_socket)                     \
  F(mosquitto_want_write)                 \
  F(mosquitto_loop)                       \
  F(mosquitto_publish)                    \
  F(mosquitto_disconnect)                 \
  F(mosquitto_strerror)                   \
  F(mosquitto_connack_string)             \
  F(mosquitto_reason_string)

struct cmosquitto_library {
#define POINTER(name) __typeof__(&name) name;
  FUNCTIONS(POINTER)
};

/// The functions of the loaded library. cmosquitto_load sets them.
extern struct cmosquitto_library cmosquitto_functions;
#define library cmosquitto_functions

/// Applies options to a client. Returns 0 or the library's error code.
int cmosquitto_set_up(struct mosquitto *mosquitto, const cmosquitto_options *options);
/// Returns whether a socket has not finished connecting.
int cmosquitto_is_connecting(int socket);
