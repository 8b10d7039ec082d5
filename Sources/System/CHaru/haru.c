#include "charu.h"

#include <dlfcn.h>
#include <errno.h>
#include <hpdf.h>
#include <pthread.h>
#include <stdlib.h>

// The functions of the library that this module uses. Their types come from the library's header.
#define FUNCTIONS(F)          \
  F(HPDF_New)                 \
  F(HPDF_Free)                \
  F(HPDF_UseUTFEncodings)     \
  F(HPDF_SetCompressionMode)  \
  F(HPDF_SetInfoAttr)         \
  F(HPDF_LoadTTFontFromFile)  \
  F(HPDF_GetFont)             \
  F(HPDF_AddPage)             \
  F(HPDF_Page_SetWidth)       \
  F(HPDF_Page_SetHeight)      \
  F(HPDF_Page_SetLineWidth)   \
  F(HPDF_Page_SetFontAndSize) \
  F(HPDF_Page_TextWidth)      \
  F(HPDF_Page_BeginText)      \
  F(HPDF_Page_TextOut)        \
  F(HPDF_Page_EndText)        \
  F(HPDF_Page_MoveTo)         \
  F(HPDF_Page_LineTo)         \
  F(HPDF_Page_Stroke)         \
  F(HPDF_SaveToStream)        \
  F(HPDF_GetStreamSize)       \
  F(HPDF_ReadFromStream)

static struct {
#define POINTER(name) __typeof__(&name) name;
  FUNCTIONS(POINTER)
} library;

static int loaded = -ENOSYS;

static void load(void) {
  void *handle = dlopen("libhpdf-2.3.0.so", RTLD_LAZY | RTLD_LOCAL);
  if (!handle) handle = dlopen("libhpdf.so.2.4", RTLD_LAZY | RTLD_LOCAL);
  if (!handle) return;
#define RESOLVE(name) \
  if (!(library.name = (__typeof__(&name))dlsym(handle, #name))) return;
  FUNCTIONS(RESOLVE)
  loaded = 0;
}

int charu_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return loaded;
}

struct charu_document {
  HPDF_Doc pdf;
  HPDF_Page page;
  HPDF_Font fonts[2];
  int failed;
};

static void note_failure(HPDF_STATUS error, HPDF_STATUS detail, void *document) {
  ((charu_document *)document)->failed = 1;
}

charu_document *charu_open(const char *regular, const char *bold, const char *title) {
  if (charu_load()) return NULL;
  charu_document *document = calloc(1, sizeof *document);
  if (!document) return NULL;
  document->pdf = library.HPDF_New(note_failure, document);
  if (!document->pdf) {
    free(document);
    return NULL;
  }
  library.HPDF_UseUTFEncodings(document->pdf);
  library.HPDF_SetCompressionMode(document->pdf, HPDF_COMP_ALL);
  library.HPDF_SetInfoAttr(document->pdf, HPDF_INFO_TITLE, title);
  const char *paths[2] = {regular, bold};
  for (int index = 0; index < 2; index++) {
    const char *name = library.HPDF_LoadTTFontFromFile(document->pdf, paths[index], HPDF_TRUE);
    if (name) document->fonts[index] = library.HPDF_GetFont(document->pdf, name, "UTF-8");
    if (!document->fonts[index] || document->failed) {
      charu_close(document);
      return NULL;
    }
  }
  return document;
}

void charu_close(charu_document *document) {
  library.HPDF_Free(document->pdf);
  free(document);
}

void charu_page(charu_document *document, float width, float height) {
  document->page = library.HPDF_AddPage(document->pdf);
  if (!document->page) {
    document->failed = 1;
    return;
  }
  library.HPDF_Page_SetWidth(document->page, width);
  library.HPDF_Page_SetHeight(document->page, height);
  library.HPDF_Page_SetLineWidth(document->page, 0.5f);
}

void charu_text(charu_document *document, int is_bold, float size, float x, float y, const char *text) {
  if (!document->page) return;
  library.HPDF_Page_BeginText(document->page);
  library.HPDF_Page_SetFontAndSize(document->page, document->fonts[is_bold != 0], size);
  library.HPDF_Page_TextOut(document->page, x, y, text);
  library.HPDF_Page_EndText(document->page);
}

void charu_line(charu_document *document, float x1, float y1, float x2, float y2) {
  if (!document->page) return;
  library.HPDF_Page_MoveTo(document->page, x1, y1);
  library.HPDF_Page_LineTo(document->page, x2, y2);
  library.HPDF_Page_Stroke(document->page);
}

float charu_width(charu_document *document, int is_bold, float size, const char *text) {
  if (!document->page) return 0;
  library.HPDF_Page_SetFontAndSize(document->page, document->fonts[is_bold != 0], size);
  return library.HPDF_Page_TextWidth(document->page, text);
}

size_t charu_finish(charu_document *document) {
  library.HPDF_SaveToStream(document->pdf);
  return document->failed ? 0 : library.HPDF_GetStreamSize(document->pdf);
}

size_t charu_read(charu_document *document, uint8_t *bytes, size_t length) {
  HPDF_UINT32 count = (HPDF_UINT32)length;
  // At the end of the document, fewer bytes than asked for are not an error.
  library.HPDF_ReadFromStream(document->pdf, bytes, &count);
  return count;
}
