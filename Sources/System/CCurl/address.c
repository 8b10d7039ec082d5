#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>

#include "library.h"

// Addresses that are not of the public Internet (RFC 6890).
static int is_private_v4(uint32_t address) {
  static const struct { uint32_t net; int bits; } nets[] = {
    {0x00000000, 8}, {0x0A000000, 8}, {0x64400000, 10}, {0x7F000000, 8}, {0xA9FE0000, 16}, {0xAC100000, 12},
    {0xC0000000, 24}, {0xC0A80000, 16}, {0xC6120000, 15}, {0xE0000000, 3},
  };
  for (size_t index = 0; index < sizeof nets / sizeof nets[0]; index++)
    if ((address ^ nets[index].net) >> (32 - nets[index].bits) == 0) return 1;
  return 0;
}

static uint32_t v4_of(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

int ccurl_is_private(const struct sockaddr *address) {
  if (address->sa_family == AF_INET)
    return is_private_v4(ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr));
  if (address->sa_family != AF_INET6) return 1;
  const uint8_t *bytes = ((const struct sockaddr_in6 *)address)->sin6_addr.s6_addr;
  static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  static const uint8_t translated[12] = {0, 0x64, 0xFF, 0x9B};
  if (!memcmp(bytes, mapped, 12) || !memcmp(bytes, translated, 12)) return is_private_v4(v4_of(bytes + 12));
  // 6to4 has the IPv4 address in the prefix.
  if (bytes[0] == 0x20 && bytes[1] == 0x02) return is_private_v4(v4_of(bytes + 2));
  // Only 2000::/3 is global unicast.
  return bytes[0] >> 5 != 1;
}

int ccurl_is_private_text(const char *text) {
  struct sockaddr_in v4 = {.sin_family = AF_INET};
  if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) return ccurl_is_private((const struct sockaddr *)&v4);
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
  if (inet_pton(AF_INET6, text, &v6.sin6_addr) == 1) return ccurl_is_private((const struct sockaddr *)&v6);
  return -1;
}
