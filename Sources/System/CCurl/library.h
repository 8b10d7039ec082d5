// The functions of libcurl, which is loaded when it is needed.
#pragma once

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <sys/socket.h>

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

// The functions of the library that this module uses. Their types come from the library's header.
#define FUNCTIONS(F)        \
  F(curl_global_init)       \
  F(curl_version_info)      \
  F(curl_easy_init)         \
  F(curl_easy_cleanup)      \
  F(curl_easy_reset)        \
  F(curl_easy_setopt)       \
  F(curl_easy_getinfo)      \
  F(curl_easy_strerror)     \
  F(curl_slist_append)      \
  F(curl_slist_free_all)    \
  F(curl_multi_init)        \
  F(curl_multi_cleanup)     \
  F(curl_multi_setopt)      \
  F(curl_multi_add_handle)  \
  F(curl_multi_remove_handle) \
  F(curl_multi_perform)     \
  F(curl_multi_poll)        \
  F(curl_multi_info_read)

/// The functions; they must not be called before ccurl_load has returned 0.
struct ccurl_library {
#define POINTER(name) __typeof__(&name) name;
  FUNCTIONS(POINTER)
};

extern struct ccurl_library ccurl_library;

/// Whether an address does not belong to the public Internet (RFC 6890).
int ccurl_is_private(const struct sockaddr *address);
