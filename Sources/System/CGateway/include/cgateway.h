// Functions that Glibc's Swift module does not provide.
#pragma once

#include <stdint.h>

/// Returns 1 if the kernel's clock is synchronized by NTP or similar (adjtimex(2): not STA_UNSYNC); 0 if it is not, or
/// if that is unknown.
int cgateway_clock_is_synchronised(void);

/// Sets the name of the calling thread, which `top -H` shows.
void cgateway_name_thread(const char *name);

/// Makes all threads share one heap (mallopt(3), M_ARENA_MAX). Otherwise each has its own, which is mostly empty. Call
/// it before threads are created.
void cgateway_share_heap(void);

/// Returns unused memory of the allocator to the kernel (malloc_trim(3)).
void cgateway_give_back_memory(void);

/// Handles SIGTERM, SIGINT and SIGHUP by storing the signal and writing to this eventfd, and ignores SIGPIPE.
void cgateway_catch_signals(int event);
/// Returns whether SIGTERM or SIGINT has arrived.
int cgateway_is_ending(void);
/// Returns whether SIGHUP has arrived since the last call.
int cgateway_take_reload(void);
