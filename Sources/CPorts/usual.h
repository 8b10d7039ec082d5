#pragma once

#include <stdint.h>

/// cports_tty_configure by libc's termios alone: the usual rates.
int cports_tty_configure_usual(int fd, uint32_t baud);
