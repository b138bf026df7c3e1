// libuv, from the package libuv1-dev, and the two calls of the system beside it that Swift's own
// module of the C library lacks.
#include <sys/prctl.h>
#include <sys/vfs.h>
#include <uv.h>

// Names the calling thread; the system cuts the name at 15 bytes. (prctl is variadic.)
static inline void clibuv_name_thread(const char *name) {
    prctl(PR_SET_NAME, name);
}
