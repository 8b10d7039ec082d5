// The system's Zstandard.
#include <zstd.h>
#include <zstd_errors.h>
