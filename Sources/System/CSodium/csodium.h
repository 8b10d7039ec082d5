// The system's libsodium: argon2id.
#include <sodium/core.h>
#include <sodium/crypto_pwhash.h>
#include <sodium/crypto_pwhash_argon2id.h>
