#pragma once

#include <stdint.h>

/// Implements cports_tty_configure by libc's termios, for the usual rates, which have a code there. Returns -EINVAL for
/// other rates.
int cports_tty_configure_usual(int fd, uint32_t baud);
