// Zstandard and gzip, opened at run time: only a gateway that uploads or keeps rotated files needs them in its memory.
//
// Every function returns a count, or a negative number where the library failed or the room did not suffice.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Opens libzstd.so.1 once; 0, or -ENOSYS where it is not installed or lacks something. Safe from several threads.
int ccompression_load_zstd(void);
/// The same for libz.so.1.
int ccompression_load_gzip(void);

/// Bytes that a frame of so many bytes may need (RFC 8878).
size_t ccompression_zstd_bound(size_t count);
/// A context that frames are made with, one after the other; NULL without memory.
void *ccompression_zstd_make(void);
void ccompression_zstd_free(void *context);
/// Makes one frame, level 1.
int64_t ccompression_zstd_frame(void *context, void *out, size_t room, const void *bytes, size_t count);
/// Makes a part of one frame, level 3, with a checksum: takes what it can of `bytes`, whose place `taken` counts on; as
/// `isLast`, ends it. The bytes written; `left` is 0 once everything that was taken is written.
int64_t ccompression_zstd_stream(
    void *context, void *out, size_t room, const void *bytes, size_t count, size_t *taken, int isLast, size_t *left);

/// What packs and unpacks, in one thread; NULL without memory.
void *ccompression_packer_make(void);
void ccompression_packer_free(void *packer);
/// Bytes that others like them are packed against: a copy, raw content as a dictionary (RFC 8878, 5); NULL without memory.
void *ccompression_base_make(const void *bytes, size_t count);
void ccompression_base_free(void *base);
/// Makes one frame against the base, level 1; whoever has the same base reads it.
int64_t ccompression_pack(void *packer, void *base, void *out, size_t room, const void *bytes, size_t count);
/// What such a frame holds.
int64_t ccompression_unpack(void *packer, void *base, void *out, size_t room, const void *bytes, size_t count);

/// Bytes that a gzip member of so many bytes may need (RFC 1952).
size_t ccompression_gzip_bound(size_t count);
/// Makes one member, level 1.
int64_t ccompression_gzip_member(void *out, size_t room, const void *bytes, size_t count);
