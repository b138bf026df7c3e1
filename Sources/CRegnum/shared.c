#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CRegnum.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void cregnum_load_words(const void *from, uint64_t *to, size_t count) {
    const uint64_t *words = from;
    for (size_t i = 0; i < count; i++) {
        to[i] = __atomic_load_n(words + i, __ATOMIC_ACQUIRE);
    }
}

void cregnum_store_words(void *to, const uint64_t *from, size_t count) {
    uint64_t *words = to;
    for (size_t i = 0; i < count; i++) {
        __atomic_store_n(words + i, from[i], __ATOMIC_RELEASE);
    }
}

uint64_t cregnum_load64(const void *word) {
    return __atomic_load_n((const uint64_t *)word, __ATOMIC_ACQUIRE);
}

void cregnum_store64(void *word, uint64_t value) {
    __atomic_store_n((uint64_t *)word, value, __ATOMIC_RELEASE);
}

uint32_t cregnum_load32(const void *word) {
    return __atomic_load_n((const uint32_t *)word, __ATOMIC_ACQUIRE);
}

uint32_t cregnum_add32(void *word, uint32_t amount) {
    return __atomic_add_fetch((uint32_t *)word, amount, __ATOMIC_ACQ_REL);
}

// FUTEX_WAIT_BITSET takes an absolute time, so that an interrupted wait keeps its deadline. Not
// FUTEX_PRIVATE, because the waker may be another process.
bool cregnum_futex_wait(const void *word, uint32_t observed, uint64_t timeout_nanoseconds) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    uint64_t nanoseconds = (uint64_t)end.tv_nsec + timeout_nanoseconds % 1000000000u;
    // At most some centuries, so the sum stays in range.
    uint64_t seconds = timeout_nanoseconds / 1000000000u + nanoseconds / 1000000000u;
    end.tv_sec += (time_t)seconds;
    end.tv_nsec = (long)(nanoseconds % 1000000000u);
    while (cregnum_load32(word) == observed) {
        long result = syscall(SYS_futex, word, FUTEX_WAIT_BITSET, observed, &end, NULL,
                              FUTEX_BITSET_MATCH_ANY);
        if (result < 0 && errno != EINTR && errno != EAGAIN) {
            break;  // ETIMEDOUT, or a kernel without futexes: the caller retries anyway
        }
    }
    return cregnum_load32(word) != observed;
}

void cregnum_futex_wake(const void *word, int count) {
    syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
}

static _Thread_local uintptr_t thread_words[CREGNUM_THREAD_WORD_COUNT];

uintptr_t cregnum_thread_word(int index) { return thread_words[index]; }

void cregnum_set_thread_word(int index, uintptr_t word) { thread_words[index] = word; }
