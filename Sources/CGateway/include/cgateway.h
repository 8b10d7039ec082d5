// What Glibc's Swift module has no name for, and the gateway needs.
#pragma once

#include <stdint.h>

/// 1 where the kernel's clock is kept by NTP or its like (adjtimex(2): not STA_UNSYNC), 0 where not or where it cannot be told.
int cgateway_clock_is_synchronised(void);

/// Names the calling thread, as `top -H` shows it.
void cgateway_name_thread(const char *name);

/// Lets all threads share one heap (mallopt(3), M_ARENA_MAX): each would be given one of its own, of which most stays
/// empty. Before there are threads.
void cgateway_share_heap(void);

/// Gives back to the kernel what the allocator holds and nobody uses (malloc_trim(3)).
void cgateway_give_back_memory(void);

/// SIGTERM and SIGINT, and SIGHUP, are counted and written to this eventfd from now on; SIGPIPE is ignored.
void cgateway_catch_signals(int event);
/// Whether SIGTERM or SIGINT has come.
int cgateway_is_ending(void);
/// Whether SIGHUP has come since this was asked last.
int cgateway_take_reload(void);
