#pragma once

#include <stdint.h>

/// Implements cports_tty_configure with libc's termios, for the usual rates, for which libc has constants. Returns
/// -EINVAL for other rates.
int cports_tty_configure_usual(int fd, uint32_t baud);
