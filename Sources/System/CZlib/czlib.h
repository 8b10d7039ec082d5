// The system's zlib. Its initializers are macros, which Swift cannot call; the functions below call them.
#pragma once
#include <zlib.h>

/// Prepares a stream for reading one gzip member (RFC 1952). Returns Z_OK or an error code of zlib.
static inline int czlib_begin_gunzip(z_stream *stream) { return inflateInit2(stream, 16 + MAX_WBITS); }

/// Prepares a stream for writing one gzip member (RFC 1952). Returns Z_OK or an error code of zlib.
static inline int czlib_begin_gzip(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
}

/// Prepares a stream for writing compressed data without a header (RFC 1951), as ZIP archives contain them. Returns
/// Z_OK or an error code of zlib.
static inline int czlib_begin_deflate(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
}
