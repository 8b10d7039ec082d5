// libudev: lists devices and reports changes.
#include <libudev.h>
