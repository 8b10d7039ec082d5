#include "ccompression.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

// The functions of both libraries that this module uses. Their types come from the libraries' headers.
#define ZSTD_FUNCTIONS(F) \
  F(ZSTD_compressBound)   \
  F(ZSTD_createCCtx)      \
  F(ZSTD_freeCCtx)        \
  F(ZSTD_compressCCtx)    \
  F(ZSTD_CCtx_setParameter) \
  F(ZSTD_compressStream2) \
  F(ZSTD_createCDict)     \
  F(ZSTD_freeCDict)       \
  F(ZSTD_createDDict)     \
  F(ZSTD_freeDDict)       \
  F(ZSTD_createDCtx)      \
  F(ZSTD_freeDCtx)        \
  F(ZSTD_compress_usingCDict)   \
  F(ZSTD_decompress_usingDDict) \
  F(ZSTD_isError)

#define GZIP_FUNCTIONS(F) \
  F(compressBound)        \
  F(deflateInit2_)        \
  F(deflate)              \
  F(deflateEnd)

static struct {
#define POINTER(name) __typeof__(&name) name;
  ZSTD_FUNCTIONS(POINTER)
  GZIP_FUNCTIONS(POINTER)
} library;

static int zstd_loaded = -ENOSYS;
static int gzip_loaded = -ENOSYS;

#define RESOLVE(name) \
  if (!(library.name = (__typeof__(&name))dlsym(handle, #name))) return;

static void load_zstd(void) {
  void *handle = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return;
  ZSTD_FUNCTIONS(RESOLVE)
  zstd_loaded = 0;
}

static void load_gzip(void) {
  void *handle = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return;
  GZIP_FUNCTIONS(RESOLVE)
  gzip_loaded = 0;
}

int ccompression_load_zstd(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load_zstd);
  return zstd_loaded;
}

int ccompression_load_gzip(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load_gzip);
  return gzip_loaded;
}

size_t ccompression_zstd_bound(size_t count) { return library.ZSTD_compressBound(count); }

void *ccompression_zstd_make(void) {
  ZSTD_CCtx *context = library.ZSTD_createCCtx();
  if (!context) return NULL;
  // This level is for ccompression_zstd_stream. Functions that make a whole frame set their own.
  library.ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 3);
  library.ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  // The window has 128 KiB instead of 2 MiB. This needs little memory, and is enough because records resemble each
  // other.
  library.ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 17);
  return context;
}

void ccompression_zstd_free(void *context) { library.ZSTD_freeCCtx(context); }

int64_t ccompression_zstd_frame(void *context, void *out, size_t room, const void *bytes, size_t count) {
  size_t written = library.ZSTD_compressCCtx(context, out, room, bytes, count, 1);
  return library.ZSTD_isError(written) ? -1 : (int64_t)written;
}

int64_t ccompression_zstd_stream(
    void *context, void *out, size_t room, const void *bytes, size_t count, size_t *taken, int isLast, size_t *left) {
  ZSTD_outBuffer output = {out, room, 0};
  ZSTD_inBuffer input = {bytes, count, *taken};
  size_t more =
      library.ZSTD_compressStream2(context, &output, &input, isLast ? ZSTD_e_end : ZSTD_e_continue);
  if (library.ZSTD_isError(more)) return -1;
  *taken = input.pos;
  *left = isLast ? more : 0;
  return (int64_t)output.pos;
}

struct packer {
  ZSTD_CCtx *in;
  ZSTD_DCtx *out;
};

// The two dictionaries are created only when they are used: a gateway with a backlog reads with one base and writes
// with another.
struct base {
  ZSTD_CDict *in;
  ZSTD_DDict *out;
  size_t count;
  unsigned char bytes[];
};

void *ccompression_packer_make(void) { return calloc(1, sizeof(struct packer)); }

void ccompression_packer_free(void *made) {
  struct packer *packer = made;
  library.ZSTD_freeCCtx(packer->in);
  library.ZSTD_freeDCtx(packer->out);
  free(packer);
}

void *ccompression_base_make(const void *bytes, size_t count) {
  struct base *base = calloc(1, sizeof *base + count);
  if (!base) return NULL;
  base->count = count;
  memcpy(base->bytes, bytes, count);
  return base;
}

void ccompression_base_free(void *made) {
  struct base *base = made;
  library.ZSTD_freeCDict(base->in);
  library.ZSTD_freeDDict(base->out);
  free(base);
}

int64_t ccompression_pack(void *with, void *against, void *out, size_t room, const void *bytes, size_t count) {
  struct packer *packer = with;
  struct base *base = against;
  if (!packer->in) packer->in = library.ZSTD_createCCtx();
  if (!base->in) base->in = library.ZSTD_createCDict(base->bytes, base->count, 1);
  if (!packer->in || !base->in) return -1;
  size_t written = library.ZSTD_compress_usingCDict(packer->in, out, room, bytes, count, base->in);
  return library.ZSTD_isError(written) ? -1 : (int64_t)written;
}

int64_t ccompression_unpack(void *with, void *against, void *out, size_t room, const void *bytes, size_t count) {
  struct packer *packer = with;
  struct base *base = against;
  if (!packer->out) packer->out = library.ZSTD_createDCtx();
  if (!base->out) base->out = library.ZSTD_createDDict(base->bytes, base->count);
  if (!packer->out || !base->out) return -1;
  size_t read = library.ZSTD_decompress_usingDDict(packer->out, out, room, bytes, count, base->out);
  return library.ZSTD_isError(read) ? -1 : (int64_t)read;
}

size_t ccompression_gzip_bound(size_t count) { return library.compressBound(count) + 32; }

int64_t ccompression_gzip_member(void *out, size_t room, const void *bytes, size_t count) {
  if (room > UINT_MAX || count > UINT_MAX) return -1;
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  // 15 bits of window size. 16 more stand for gzip's header and trailer.
  if (library.deflateInit2_(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, (int)sizeof stream) !=
      Z_OK)
    return -1;
  stream.next_in = (Bytef *)bytes;
  stream.avail_in = (uInt)count;
  stream.next_out = out;
  stream.avail_out = (uInt)room;
  int code = library.deflate(&stream, Z_FINISH);
  int64_t written = (int64_t)stream.total_out;
  library.deflateEnd(&stream);
  return code == Z_STREAM_END ? written : -1;
}
