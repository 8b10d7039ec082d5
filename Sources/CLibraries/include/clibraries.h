// Memory that loaded libraries take.
#pragma once

/// Lets go of the pages of libraries that cannot have changed, their code and constants: the kernel reads them anew from
/// the page cache, a few at a time, when they are used next. Some thirty libraries come with an upload, and most of what
/// it touches in them is touched by the next one minutes later. Any thread may call it, whatever the others do.
void clibraries_give_back_pages(void);
