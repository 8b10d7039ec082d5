// zlib, as the system has it; its initialisers are macros, which Swift cannot call.
#pragma once
#include <zlib.h>

/// Prepares to read one gzip member (RFC 1952); Z_OK or an error.
static inline int czlib_begin_gunzip(z_stream *stream) { return inflateInit2(stream, 16 + MAX_WBITS); }
