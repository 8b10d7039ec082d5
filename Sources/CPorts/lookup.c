// Looking a host name up can take half a minute where the network is half there, and getaddrinfo(3) cannot be told to
// give up. Its asynchronous form can be left behind.
#define _GNU_SOURCE
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cports.h"

struct cports_lookup {
  struct gaicb request;
  struct addrinfo wanted;
  char *host;
  char *port;
};

static void release(cports_lookup *lookup) {
  if (lookup->request.ar_result) freeaddrinfo(lookup->request.ar_result);
  free(lookup->host);
  free(lookup->port);
  free(lookup);
}

cports_lookup *cports_lookup_begin(const char *host, const char *port) {
  cports_lookup *lookup = calloc(1, sizeof *lookup);
  if (!lookup) return NULL;
  lookup->host = strdup(host);
  lookup->port = strdup(port);
  lookup->wanted.ai_family = AF_UNSPEC;
  lookup->wanted.ai_socktype = SOCK_STREAM;
  lookup->wanted.ai_flags = AI_NUMERICSERV;
  lookup->request.ar_name = lookup->host;
  lookup->request.ar_service = lookup->port;
  lookup->request.ar_request = &lookup->wanted;
  struct gaicb *list[] = {&lookup->request};
  if (!lookup->host || !lookup->port || getaddrinfo_a(GAI_NOWAIT, list, 1, NULL) != 0) {
    release(lookup);
    return NULL;
  }
  return lookup;
}

int cports_lookup_wait(cports_lookup *lookup, int milliseconds) {
  const struct gaicb *list[] = {&lookup->request};
  const struct timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  gai_suspend(list, 1, &limit);
  int code = gai_error(&lookup->request);
  // The codes of getaddrinfo are negative, this one among them.
  return code == EAI_INPROGRESS ? 1 : code;
}

int cports_lookup_address(const cports_lookup *lookup, int number, cports_address *found) {
  const struct addrinfo *at = lookup->request.ar_result;
  while (at && number-- > 0) at = at->ai_next;
  if (!at || at->ai_addrlen > sizeof found->address) return 0;
  memcpy(&found->address, at->ai_addr, at->ai_addrlen);
  found->length = at->ai_addrlen;
  return 1;
}

void cports_lookup_end(cports_lookup *lookup) {
  // A look-up that a thread is in the middle of cannot be called back; that thread still writes into it, so its memory
  // is left to it.
  if (gai_error(&lookup->request) == EAI_INPROGRESS && gai_cancel(&lookup->request) == EAI_NOTCANCELED) return;
  release(lookup);
}

const char *cports_lookup_message(int code) { return gai_strerror(code); }
