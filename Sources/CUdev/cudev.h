// libudev: which devices there are, and which come and go.
#include <libudev.h>
