// The part of libharu that is needed for pages with text and lines. The library is loaded at run time. All lengths are
// in points (1/72 inch). Positions are relative to the lower left corner of a page. See libharu's documentation for
// details.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct charu_document charu_document;

/// Loads libhpdf once. Returns 0, or -ENOSYS if it is missing or lacks a function. Thread-safe.
int charu_load(void);

/// Creates a document whose texts use two TrueType fonts, of which the used characters are embedded.
///
/// `regular` and `bold` are paths of the fonts. Returns NULL if a font cannot be read, or if the library is not loaded.
/// Only one thread may use a document at a time. Free it with `charu_close`.
charu_document *charu_open(const char *regular, const char *bold, const char *title);
void charu_close(charu_document *document);

/// Adds a page with this width and height. The functions below write on the page that was added last.
void charu_page(charu_document *document, float width, float height);
/// Adds a text in UTF-8, which must not have characters above U+FFFF.
void charu_text(charu_document *document, int is_bold, float size, float x, float y, const char *text);
/// Adds a line.
void charu_line(charu_document *document, float x1, float y1, float x2, float y2);
/// Returns the width of a text. The document must have a page.
float charu_width(charu_document *document, int is_bold, float size, const char *text);

/// Writes the document to memory.
///
/// Returns the number of its bytes; 0 if any call has failed. `charu_read` copies them.
size_t charu_finish(charu_document *document);
/// Copies at most `length` bytes of the finished document. Returns their number.
size_t charu_read(charu_document *document, uint8_t *bytes, size_t length);
