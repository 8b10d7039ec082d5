// Functions of librabbitmq, which is loaded at run time.
#pragma once

#include "crabbitmq.h"

#include <amqp.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>

// The functions of the library that this module uses. Their types come from the library's header.
#define FUNCTIONS(F)                       \
  F(amqp_new_connection)                   \
  F(amqp_destroy_connection)               \
  F(amqp_tcp_socket_new)                   \
  F(amqp_ssl_socket_new)                   \
  F(amqp_ssl_socket_set_verify_peer)       \
  F(amqp_ssl_socket_set_verify_hostname)   \
  F(amqp_ssl_socket_set_ssl_versions)      \
  F(amqp_ssl_socket_set_cacert)            \
  F(amqp_ssl_socket_set_key)               \
  F(amqp_socket_open_noblock)              \
  F(amqp_set_handshake_timeout)            \
  F(amqp_set_rpc_timeout)                  \
  F(amqp_login)                            \
  F(amqp_channel_open)                     \
  F(amqp_get_rpc_reply)                    \
  F(amqp_queue_declare)                    \
  F(amqp_queue_bind)                       \
  F(amqp_basic_qos)                        \
  F(amqp_basic_consume)                    \
  F(amqp_basic_ack)                        \
  F(amqp_basic_reject)                     \
  F(amqp_send_frame)                       \
  F(amqp_simple_wait_frame_noblock)        \
  F(amqp_maybe_release_buffers_on_channel) \
  F(amqp_frames_enqueued)                  \
  F(amqp_data_in_buffer)                   \
  F(amqp_get_sockfd)                       \
  F(amqp_connection_close)                 \
  F(amqp_error_string2)

struct crabbitmq_library {
#define POINTER(name) __typeof__(&name) name;
  FUNCTIONS(POINTER)
};

/// The functions of the loaded library. crabbitmq_load sets them.
extern struct crabbitmq_library crabbitmq_functions;
#define library crabbitmq_functions
