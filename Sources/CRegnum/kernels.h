// Declarations shared by the kernel files. Not part of the module.
#ifndef KERNELS_H
#define KERNELS_H

#include "CRegnumKernels.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { WORDS = 16 };

/// Returns a word with the bits below `n` set.
INLINE uint64_t low_bits(size_t n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }

INLINE void clear(uint64_t *mask) { memset(mask, 0, 8 * WORDS); }

INLINE uint32_t load32(const void *bytes) {
    uint32_t value;
    memcpy(&value, bytes, 4);
    return value;
}

INLINE uint64_t load64(const void *bytes) {
    uint64_t value;
    memcpy(&value, bytes, 8);
    return value;
}

#if defined(__x86_64__)
#include <immintrin.h>
#define HAS_AVX2 1
#define AVX2 __attribute__((target("avx2")))
#define WIDE_INLINE static inline __attribute__((always_inline, target("avx2")))
#endif

/// Sets the rows whose cells equal (low, high) in the bits of the two masks.
void kernels_equal_cells(const void *cells, size_t count, const uint64_t cell[2],
                         const uint64_t bits[2], uint64_t *mask);

#endif
