#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CRegnum.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// Sets an address of the abstract namespace, which has no file: a zero byte, and the name.
static socklen_t set_address(struct sockaddr_un *address, const char *name) {
    size_t count = strnlen(name, sizeof address->sun_path - 1);
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path + 1, name, count);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + count);
}

static int make_socket(void) {
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int cregnum_listen(const char *name) {
    struct sockaddr_un address;
    socklen_t length = set_address(&address, name);
    int fd = make_socket();
    if (fd < 0) {
        return -errno;
    }
    if (bind(fd, (struct sockaddr *)&address, length) < 0 || listen(fd, 16) < 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    return fd;
}

int cregnum_accept(int listener) {
    int fd;
    do {
        fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) {
        return -errno;
    }
    if (fd <= STDERR_FILENO) {
        // The process has closed a standard stream: what it prints must not get into the answer.
        int other = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        int error = errno;
        close(fd);
        if (other < 0) {
            return -error;
        }
        fd = other;
    }
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0 ||
        (peer.uid != geteuid() && peer.uid != 0)) {
        close(fd);
        return -ECONNABORTED;
    }
    return fd;
}

int cregnum_connect(const char *name, uint32_t process) {
    struct sockaddr_un address;
    socklen_t length = set_address(&address, name);
    int fd = make_socket();
    if (fd < 0) {
        return -errno;
    }
    struct ucred peer;
    socklen_t size = sizeof peer;
    int result;
    do {
        result = connect(fd, (struct sockaddr *)&address, length);
    } while (result < 0 && errno == EINTR);
    if (result == 0) {
        result = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size);
    }
    int error = result < 0 ? errno : (uint32_t)peer.pid == process ? 0 : EPERM;
    if (error != 0) {
        close(fd);
        return -error;
    }
    return fd;
}
