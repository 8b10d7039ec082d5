// The system's libsodium, used for argon2id, which hashes passwords.
#include <sodium/core.h>
#include <sodium/crypto_pwhash.h>
#include <sodium/crypto_pwhash_argon2id.h>
