#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CRegnum.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

int cregnum_openat(int directory, const char *name, int flags, unsigned int mode) {
    int fd;
    do {
        fd = openat(directory, name, flags, (mode_t)mode);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0 || fd > STDERR_FILENO) {
        return fd < 0 ? -errno : fd;
    }
    // The process has closed a standard stream: what it prints must not get into this file.
    int other = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    close(fd);
    if (other < 0 && (flags & O_EXCL) != 0) {
        unlinkat(directory, name, 0);
    }
    return other < 0 ? -error : other;
}

int cregnum_rename_new(int directory, const char *name, const char *target) {
    int result;
    do {
        result = renameat2(directory, name, directory, target, RENAME_NOREPLACE);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

bool cregnum_may_have_size(uint64_t size) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) < 0 || size <= limit.rlim_cur;
}

int cregnum_extend(int fd, uint64_t size) {
    if (!cregnum_may_have_size(size)) {
        return -EFBIG;
    }
    int result;
    do {
        result = fallocate(fd, 0, 0, (off_t)size);
    } while (result < 0 && errno == EINTR);
    if (result == 0) {
        return 0;
    }
    if (errno != EOPNOTSUPP && errno != ENOSYS) {
        return -errno;
    }
    struct stat status;
    if (fstat(fd, &status) < 0) {
        return -errno;
    }
    if ((uint64_t)status.st_size >= size) {
        return 0;
    }
    do {
        result = ftruncate(fd, (off_t)size);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

void cregnum_release(int fd, uint64_t offset) {
    struct stat status;
    if (fstat(fd, &status) < 0 || (uint64_t)status.st_size <= offset) {
        return;
    }
    // whole pages, so that the last one is freed too
    uint64_t count = ((uint64_t)status.st_size - offset + 4095) & ~(uint64_t)4095;
    int result;
    do {
        result = fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
                           (off_t)count);
    } while (result < 0 && errno == EINTR);
}

static atomic_bool is_forked;
static pthread_once_t fork_watch = PTHREAD_ONCE_INIT;

// The descriptors whose locks a forked child would keep after its parent has ended. Guarded by the
// mutex, which is locked during a fork, so that the child finds the array complete.
static pthread_mutex_t lock_files_mutex = PTHREAD_MUTEX_INITIALIZER;
static int *lock_files;
static size_t lock_file_count;
static size_t lock_file_capacity;

static void before_fork(void) { pthread_mutex_lock(&lock_files_mutex); }

static void after_fork_in_parent(void) { pthread_mutex_unlock(&lock_files_mutex); }

// Calls only functions that are safe in a child of a process with several threads.
static void after_fork_in_child(void) {
    atomic_store(&is_forked, true);
    // The numbers stay taken, because their owners in the child still close them.
    int other = lock_file_count > 0 ? open("/", O_PATH | O_CLOEXEC) : -1;
    for (size_t i = 0; other >= 0 && i < lock_file_count; i++) {
        dup3(other, lock_files[i], O_CLOEXEC);
    }
    if (other >= 0) {
        close(other);
    }
    pthread_mutex_unlock(&lock_files_mutex);
}

static void begin_fork_watch(void) {
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void cregnum_note_lock_file(int fd) {
    pthread_mutex_lock(&lock_files_mutex);
    if (lock_file_count == lock_file_capacity) {
        size_t capacity = lock_file_capacity * 2 + 8;
        int *files = realloc(lock_files, capacity * sizeof(int));
        if (files != NULL) {
            lock_files = files;
            lock_file_capacity = capacity;
        }
    }
    if (lock_file_count < lock_file_capacity) {
        lock_files[lock_file_count++] = fd;
    }
    pthread_mutex_unlock(&lock_files_mutex);
}

void cregnum_forget_lock_file(int fd) {
    pthread_mutex_lock(&lock_files_mutex);
    for (size_t i = 0; i < lock_file_count; i++) {
        if (lock_files[i] == fd) {
            lock_files[i] = lock_files[--lock_file_count];
            break;
        }
    }
    pthread_mutex_unlock(&lock_files_mutex);
}

void cregnum_watch_forks(void) { pthread_once(&fork_watch, begin_fork_watch); }

bool cregnum_is_forked(void) { return atomic_load_explicit(&is_forked, memory_order_relaxed); }

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

int cregnum_populate(const void *bytes, size_t count, bool writes) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)bytes & ~(page - 1);
    uintptr_t end = ((uintptr_t)bytes + count + page - 1) & ~(page - 1);
    int result;
    do {
        result = madvise((void *)start, end - start,
                         writes ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

int cregnum_sync_file_system(int fd) {
    int result;
    do {
        result = syncfs(fd);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

int64_t cregnum_filesystem_type(const char *path) {
    struct statfs status;
    int result;
    do {
        result = statfs(path, &status);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : (int64_t)(uint32_t)status.f_type;
}

static int byte_lock(int fd, int command, struct flock *lock, short type, uint64_t byte) {
    *lock = (struct flock){
        .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)byte, .l_len = 1};
    int result;
    do {
        result = fcntl(fd, command, lock);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

int cregnum_lock(int fd, uint64_t byte, bool exclusive) {
    struct flock lock;
    int result = byte_lock(fd, F_OFD_SETLK, &lock, exclusive ? F_WRLCK : F_RDLCK, byte);
    if (result == -EAGAIN || result == -EACCES) {
        return 0;
    }
    return result < 0 ? result : 1;
}

int cregnum_unlock(int fd, uint64_t byte) {
    struct flock lock;
    return byte_lock(fd, F_OFD_SETLK, &lock, F_UNLCK, byte);
}

void cregnum_unlock_all(int fd) {
    // A length of 0 extends to the end of any file.
    struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0};
    fcntl(fd, F_OFD_SETLK, &lock);
}

int cregnum_is_locked_elsewhere(int fd, uint64_t byte) {
    struct flock lock;
    int result = byte_lock(fd, F_OFD_GETLK, &lock, F_WRLCK, byte);
    return result < 0 ? result : lock.l_type != F_UNLCK;
}
