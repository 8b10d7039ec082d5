// Zstandard and gzip. The libraries are loaded at run time, because only a gateway that uploads records or compresses
// rotated files needs them.
//
// A function that returns a number of bytes as int64_t returns a negative number if the library fails or `room`, the
// size of `out`, is too small.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Loads libzstd.so.1 once. Returns 0, or -ENOSYS if it is missing or lacks a function. Thread-safe.
int ccompression_load_zstd(void);
/// Loads libz.so.1 once. Returns 0, or -ENOSYS if it is missing or lacks a function. Thread-safe.
int ccompression_load_gzip(void);

/// Returns the maximum size of a Zstandard frame (RFC 8878) for `count` bytes.
size_t ccompression_zstd_bound(size_t count);
/// Creates a context for compressing Zstandard frames one after the other. Returns NULL if there is no memory.
void *ccompression_zstd_make(void);
void ccompression_zstd_free(void *context);
/// Compresses bytes to one complete frame at level 1. Returns the number of bytes written.
int64_t ccompression_zstd_frame(void *context, void *out, size_t room, const void *bytes, size_t count);
/// Compresses a part of a frame at level 3, with a checksum. Reads as many of `bytes` as possible and adds their number
/// to `taken`. Returns the number of bytes written. If `isLast` is not 0, ends the frame, and sets `left` to 0 when the
/// whole frame has been written.
int64_t ccompression_zstd_stream(
    void *context, void *out, size_t room, const void *bytes, size_t count, size_t *taken, int isLast, size_t *left);

/// Creates a packer, which compresses and decompresses frames. Only one thread may use it at a time. Returns NULL if
/// there is no memory.
void *ccompression_packer_make(void);
void ccompression_packer_free(void *packer);
/// Creates a base: a copy of bytes with which a packer compresses similar bytes (as a raw-content dictionary; RFC 8878,
/// 5). Returns NULL if there is no memory.
void *ccompression_base_make(const void *bytes, size_t count);
void ccompression_base_free(void *base);
/// Compresses bytes to one complete frame at level 1, with a base as dictionary. Decompressing the frame needs an
/// equal base. Returns the number of bytes written.
int64_t ccompression_pack(void *packer, void *base, void *out, size_t room, const void *bytes, size_t count);
/// Decompresses a frame that ccompression_pack made. Returns the number of bytes written.
int64_t ccompression_unpack(void *packer, void *base, void *out, size_t room, const void *bytes, size_t count);

/// Returns the maximum size of a gzip member (RFC 1952) for `count` bytes.
size_t ccompression_gzip_bound(size_t count);
/// Compresses bytes to one complete gzip member at level 1. Returns the number of bytes written.
int64_t ccompression_gzip_member(void *out, size_t room, const void *bytes, size_t count);
