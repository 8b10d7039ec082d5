// Functions that Glibc's Swift module does not provide.
#pragma once

#include <stdint.h>

/// Returns 1 if NTP or a similar service has synchronized the kernel's clock (adjtimex(2): not STA_UNSYNC). Returns 0
/// if it has not, or if this is unknown.
int cgateway_clock_is_synchronised(void);

/// Sets the name of the calling thread, which `top -H` shows.
void cgateway_name_thread(const char *name);

/// Makes all threads use one heap (mallopt(3), M_ARENA_MAX). Otherwise, each thread has a heap of its own, which is
/// mostly unused. Call this function before the first thread is created.
void cgateway_share_heap(void);

/// Returns unused memory of the heap to the kernel (malloc_trim(3)).
void cgateway_give_back_memory(void);

/// Installs signal handlers: SIGTERM, SIGINT and SIGHUP are stored, and reported by a write to the eventfd `event`.
/// SIGPIPE is ignored.
void cgateway_catch_signals(int event);
/// Returns whether SIGTERM or SIGINT has arrived.
int cgateway_is_ending(void);
/// Returns whether SIGHUP has arrived since the last call.
int cgateway_take_reload(void);
