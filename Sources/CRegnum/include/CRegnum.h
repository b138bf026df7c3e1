// The few lines that Swift cannot say: instructions chosen at run time, variadic system calls,
// futexes, atomics on memory that other processes map too, and words of a thread.
//
// No function here allocates, and only the words of a thread are state. Those that make a system call repeat it after EINTR
// and return a negative error number (-errno) where they fail.
#ifndef CREGNUM_H
#define CREGNUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// CRC32C (Castagnoli, reflected polynomial 0x82F63B78, RFC 3720 appendix B.4)

/// Continues `crc` (0 to begin) over `n` bytes; by hardware where the processor has it.
uint32_t cregnum_crc32c(uint32_t crc, const void *bytes, size_t n);
/// The same by a table, on any processor. Exported so that tests can compare the two.
uint32_t cregnum_crc32c_table(uint32_t crc, const void *bytes, size_t n);
/// Whether `cregnum_crc32c` uses the processor's instruction.
bool cregnum_crc32c_is_hardware(void);

// Files

/// From its first call on a child that is forked from this process knows that it is one.
void cregnum_watch_forks(void);
/// Whether this process is such a child, or a child of one.
bool cregnum_is_forked(void);
/// openat; returns the descriptor or -errno.
int cregnum_openat(int directory, const char *name, int flags, unsigned int mode);
/// renameat2 with RENAME_NOREPLACE; returns 0 or -errno: -EEXIST if there is a target, -EINVAL where
/// the file system cannot tell.
int cregnum_rename_new(int directory, const char *name, const char *target);
/// Makes the file at least `size` bytes long and allocates them; bytes that exist are untouched,
/// so that two processes can do it at the same time. Where the file system cannot allocate ahead
/// the file grows without allocation. Never shrinks a file that is not shrunk meanwhile.
int cregnum_extend(int fd, uint64_t size);
/// Brings the pages with these mapped bytes into memory, for reading or for writing too, so that
/// touching them now raises no signal (madvise MADV_POPULATE_READ and _WRITE). Returns 0, -EINVAL
/// where the kernel cannot (before Linux 5.14), or -errno: -EFAULT where touching them would raise
/// SIGBUS.
int cregnum_populate(const void *bytes, size_t count, bool writes);
/// The magic number of the file system that holds `fd` (statfs f_type), or -errno.
int64_t cregnum_filesystem_type(int fd);

// Open file description locks on one byte (fcntl F_OFD_SETLK, F_OFD_GETLK)

/// Locks `byte` (exclusively or shared) without waiting, or converts a lock held through `fd`.
/// Returns 1 if it was taken, 0 if a conflicting lock is held elsewhere (a lock that `fd` held
/// stays as it was), -errno otherwise.
int cregnum_lock(int fd, uint64_t byte, bool exclusive);
/// Gives the lock on `byte` back; no effect if it is not held.
int cregnum_unlock(int fd, uint64_t byte);
/// Gives all locks of the open file description back, which a child that was forked and has not come to
/// its exec yet would keep.
void cregnum_unlock_all(int fd);
/// Returns 1 if a lock on `byte` is held through another open of the file, 0 if not, or -errno.
int cregnum_is_locked_elsewhere(int fd, uint64_t byte);

// Shared memory. Not inline: compiled with the sanitizer's flags, so that it sees the atomics.

/// Copies `count` 64-bit words one by one, each with an acquiring load.
void cregnum_load_words(const void *from, uint64_t *to, size_t count);
/// Copies `count` 64-bit words one by one, each with a releasing store.
void cregnum_store_words(void *to, const uint64_t *from, size_t count);
/// Loads a 64-bit word (acquire).
uint64_t cregnum_load64(const void *word);
/// Stores a 64-bit word (release).
void cregnum_store64(void *word, uint64_t value);
/// Loads a 32-bit word (acquire).
uint32_t cregnum_load32(const void *word);
/// Adds to a 32-bit word, wrapping (acquire and release); returns the new value.
uint32_t cregnum_add32(void *word, uint32_t amount);

/// Waits until the 32-bit word differs from `observed` or the time is up; returns whether it
/// differs. The word may be shared between processes.
bool cregnum_futex_wait(const void *word, uint32_t observed, uint64_t timeout_nanoseconds);
/// Wakes up to `count` threads, of any process, that wait on the word.
void cregnum_futex_wake(const void *word, int count);

// Words of the calling thread

/// How many words each thread has.
#define CREGNUM_THREAD_WORD_COUNT 2
/// Word `index` of the calling thread; 0 until it is set.
uintptr_t cregnum_thread_word(int index);
void cregnum_set_thread_word(int index, uintptr_t word);

#include "CRegnumKernels.h"

#include "CRegnumIndex.h"

#endif
