// Zstandard and gzip, loaded at run time, because only a gateway that uploads or stores rotated files needs them.
//
// Functions that return a count return a negative number if the library fails or `room` is too small.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Loads libzstd.so.1 once. Returns 0, or -ENOSYS if it is missing or lacks a function. Thread-safe.
int ccompression_load_zstd(void);
/// Loads libz.so.1 once. Returns 0, or -ENOSYS if it is missing or lacks a function. Thread-safe.
int ccompression_load_gzip(void);

/// Returns the greatest size of a frame for `count` bytes (RFC 8878).
size_t ccompression_zstd_bound(size_t count);
/// Creates a context for compressing frames one after the other; NULL without memory.
void *ccompression_zstd_make(void);
void ccompression_zstd_free(void *context);
/// Compresses one frame at level 1.
int64_t ccompression_zstd_frame(void *context, void *out, size_t room, const void *bytes, size_t count);
/// Compresses a part of a frame at level 3, with a checksum. Consumes as many of `bytes` as possible and adds their
/// number to `taken`. If `isLast`, ends the frame. Returns the number of bytes written; `left` is 0 when all consumed
/// bytes have been written.
int64_t ccompression_zstd_stream(
    void *context, void *out, size_t room, const void *bytes, size_t count, size_t *taken, int isLast, size_t *left);

/// Creates a compressor and decompressor for use by one thread; NULL without memory.
void *ccompression_packer_make(void);
void ccompression_packer_free(void *packer);
/// Creates a base: a copy of bytes that serves as a raw-content dictionary for similar bytes (RFC 8878, 5); NULL
/// without memory.
void *ccompression_base_make(const void *bytes, size_t count);
void ccompression_base_free(void *base);
/// Compresses one frame with the base as dictionary, at level 1. The same base is needed to decompress it.
int64_t ccompression_pack(void *packer, void *base, void *out, size_t room, const void *bytes, size_t count);
/// Decompresses such a frame.
int64_t ccompression_unpack(void *packer, void *base, void *out, size_t room, const void *bytes, size_t count);

/// Returns the greatest size of a gzip member for `count` bytes (RFC 1952).
size_t ccompression_gzip_bound(size_t count);
/// Compresses one member at level 1.
int64_t ccompression_gzip_member(void *out, size_t room, const void *bytes, size_t count);
