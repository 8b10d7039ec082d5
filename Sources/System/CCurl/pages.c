#define _GNU_SOURCE
#include "ccurl.h"

#include <link.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

static int give_back(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  (void)context;
  // The page cache contains a copy of each unchanged page, so using the page again causes only a minor fault, unless
  // the kernel has reclaimed that copy. Two objects have an empty name: the program and, on some machines, the object
  // that the kernel provides. The pages of the kernel's object must not be released.
  int is_program = (uintptr_t)object->dlpi_phdr == getauxval(AT_PHDR);
  if (!is_program && (!object->dlpi_name || !object->dlpi_name[0])) return 0;
  // Do not release pages of a library with text relocations: changes that the loader made to the code would be lost.
  for (int index = 0; index < object->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[index];
    if (header->p_type != PT_DYNAMIC) continue;
    for (const ElfW(Dyn) *entry = (const void *)(object->dlpi_addr + header->p_vaddr); entry->d_tag; entry++)
      if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && entry->d_un.d_val & DF_TEXTREL)) return 0;
  }
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int index = 0; index < object->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[index];
    if (header->p_type != PT_LOAD || header->p_flags & PF_W) continue;
    // Release only pages that belong to the segment completely, because the first and last one may contain other data.
    uintptr_t from = (object->dlpi_addr + header->p_vaddr + page - 1) & ~(page - 1);
    uintptr_t to = (object->dlpi_addr + header->p_vaddr + header->p_filesz) & ~(page - 1);
    if (from < to) madvise((void *)from, to - from, MADV_DONTNEED);
  }
  return 0;
}

void ccurl_give_back_pages(void) { dl_iterate_phdr(give_back, 0); }
