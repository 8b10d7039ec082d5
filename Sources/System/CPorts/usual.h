#pragma once

#include <stdint.h>

/// Implements cports_tty_configure by libc's termios for rates with a code. Returns -EINVAL for others.
int cports_tty_configure_usual(int fd, uint32_t baud);
