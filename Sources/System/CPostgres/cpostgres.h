// The system's PostgreSQL client library.
#include <libpq-fe.h>
