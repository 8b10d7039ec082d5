#pragma once

#include <stdint.h>

/// cports_tty_configure by libc's termios, for rates that have a code; -EINVAL for others.
int cports_tty_configure_usual(int fd, uint32_t baud);
