// The system's libudev. It lists devices and reports when they are connected or removed.
#include <libudev.h>
