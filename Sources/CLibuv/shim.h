// libuv (package libuv1-dev), and two system calls that Swift's module of the C library lacks.
#include <sys/prctl.h>
#include <sys/vfs.h>
#include <uv.h>

// Names the calling thread. The system truncates the name to 15 bytes. (prctl is variadic.)
static inline void clibuv_name_thread(const char *name) {
    prctl(PR_SET_NAME, name);
}
