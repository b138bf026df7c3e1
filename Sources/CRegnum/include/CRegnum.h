// Functionality that Swift can't express: instructions chosen at run time, variadic system calls,
// futexes, atomics on memory that other processes map too, and thread-local words.
//
// Functions don't allocate unless documented otherwise. Functions that make a system call repeat it
// after EINTR and return a negative error number (-errno) on failure.
#ifndef CREGNUM_H
#define CREGNUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// CRC32C (Castagnoli, reflected polynomial 0x82F63B78, RFC 3720 appendix B.4)

/// Continues `crc` (initially 0) over `n` bytes, in hardware if the processor supports it.
uint32_t cregnum_crc32c(uint32_t crc, const void *bytes, size_t n);
/// The same with a table, on any processor. Exported so that tests can compare the two.
uint32_t cregnum_crc32c_table(uint32_t crc, const void *bytes, size_t n);
/// Whether `cregnum_crc32c` uses the processor's instruction.
bool cregnum_crc32c_is_hardware(void);

// Files

/// After the first call, forked children of this process know that they are forked.
void cregnum_watch_forks(void);
/// Returns whether this process is such a child, or a descendant of one.
bool cregnum_is_forked(void);
/// Makes forked children give up this descriptor from now on, so that they don't keep its locks. In
/// a child, it then refers to something else. Allocates.
void cregnum_note_lock_file(int fd);
/// Reverts `cregnum_note_lock_file`. Call it before the descriptor is closed.
void cregnum_forget_lock_file(int fd);
/// Calls openat. Returns the descriptor, which is never that of a standard stream, or -errno.
int cregnum_openat(int directory, const char *name, int flags, unsigned int mode);
/// Calls renameat2 with RENAME_NOREPLACE. Returns 0 or -errno: -EEXIST if the target exists,
/// -EINVAL if the file system doesn't support the flag.
int cregnum_rename_new(int directory, const char *name, const char *target);
/// Extends the file to at least `size` bytes and allocates them. Existing bytes are untouched, so
/// two processes can do this concurrently. On file systems without preallocation the file grows
/// without allocation. Never shrinks a file, unless another process truncates it concurrently.
/// Returns 0 or -errno: -EFBIG if the process may not make a file that long.
int cregnum_extend(int fd, uint64_t size);
/// Frees the disk space of the bytes from `offset`, a multiple of 4,096, to the end of the file,
/// which then read as zeros. The size stays the same. No effect on file systems without holes.
void cregnum_release(int fd, uint64_t offset);
/// Returns whether this process may make a file that long (getrlimit RLIMIT_FSIZE). Exceeding the
/// limit raises SIGXFSZ, which ends the process, so this is called before writing to a file or
/// extending it.
bool cregnum_may_have_size(uint64_t size);
/// Loads the pages with these mapped bytes into memory, for reading or also for writing, so that
/// accessing them right afterwards raises no signal (madvise MADV_POPULATE_READ and _WRITE).
/// Returns 0, -EINVAL if the kernel doesn't support it (before Linux 5.14), or -errno: -EFAULT if
/// accessing them would raise SIGBUS.
int cregnum_populate(const void *bytes, size_t count, bool writes);
/// Syncs the file system of `fd` (syncfs). Returns 0 or -errno.
int cregnum_sync_file_system(int fd);
/// Returns the magic number of the file system at `path` (statfs f_type), or -errno.
int64_t cregnum_filesystem_type(const char *path);

// Open file description locks on one byte (fcntl F_OFD_SETLK, F_OFD_GETLK)

/// Locks `byte` (exclusive or shared) without waiting, or converts a lock held through `fd`.
/// Returns 1 on success, 0 if a conflicting lock is held elsewhere (a lock already held through
/// `fd` is unchanged), -errno otherwise.
int cregnum_lock(int fd, uint64_t byte, bool exclusive);
/// Releases the lock on `byte`. No effect if it isn't held.
int cregnum_unlock(int fd, uint64_t byte);
/// Releases all locks of the open file description, which a forked child that hasn't called exec
/// yet would otherwise keep.
void cregnum_unlock_all(int fd);
/// Returns 1 if a lock on `byte` is held through another open file description, 0 if not, or
/// -errno.
int cregnum_is_locked_elsewhere(int fd, uint64_t byte);

// Shared memory. Not inline, so that the sanitizer instruments the atomics.

/// Copies `count` 64-bit words one by one, with acquire loads.
void cregnum_load_words(const void *from, uint64_t *to, size_t count);
/// Copies `count` 64-bit words one by one, with release stores.
void cregnum_store_words(void *to, const uint64_t *from, size_t count);
/// Loads a 64-bit word (acquire).
uint64_t cregnum_load64(const void *word);
/// Stores a 64-bit word (release).
void cregnum_store64(void *word, uint64_t value);
/// Loads a 32-bit word (acquire).
uint32_t cregnum_load32(const void *word);
/// Adds to a 32-bit word, wrapping (acquire and release), and returns the new value.
uint32_t cregnum_add32(void *word, uint32_t amount);

/// Waits until the 32-bit word differs from `observed` or until the timeout. Returns whether it
/// differs. The word may be shared between processes.
bool cregnum_futex_wait(const void *word, uint32_t observed, uint64_t timeout_nanoseconds);
/// Wakes up to `count` threads, in any process, that are waiting on the word.
void cregnum_futex_wake(const void *word, int count);

// Sockets in the abstract namespace of Unix sockets, which have no files. They don't block, and are
// closed by exec.

/// Returns a socket that listens under a name of at most 100 bytes.
int cregnum_listen(const char *name);
/// Accepts the next connection and returns its descriptor. Returns -EAGAIN if none is pending, and
/// -ECONNABORTED after closing one from a user other than this process's user and root.
int cregnum_accept(int listener);
/// Connects to the socket with that name. Returns -EPERM if a process other than `process` listens
/// there.
int cregnum_connect(const char *name, uint32_t process);

// Thread-local words

/// The number of words per thread.
#define CREGNUM_THREAD_WORD_COUNT 3
/// Returns word `index` of the calling thread; 0 if it was never set.
uintptr_t cregnum_thread_word(int index);
void cregnum_set_thread_word(int index, uintptr_t word);

#include "CRegnumKernels.h"

#include "CRegnumIndex.h"

#endif
