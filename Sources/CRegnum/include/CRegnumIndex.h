// Index primitives that need C: searches that the compiler keeps branchless (Swift has no
// `__builtin_unpredictable`, without which LLVM turns the selection back into a branch),
// prefetches, and SipHash. Everything is `static inline`, so that it is inlined into Swift.
#ifndef CREGNUM_INDEX_H
#define CREGNUM_INDEX_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Returns the number of the `n` ascending words that are less than `key`, by binary search:
/// `log2(n)` dependent loads.
static inline size_t cregnum_words_below_by_halves(const uint64_t *words, size_t n, uint64_t key) {
    const uint64_t *base = words;
    while (n > 1) {
        size_t half = n / 2;
        base = __builtin_unpredictable(base[half - 1] < key) ? base + half : base;
        n -= half;
    }
    return (size_t)(base - words) + (n == 1 && base[0] < key);
}

/// Returns the number of the `n` ascending words that are less than `key`.
///
/// Ids assigned consecutively, and the keys derived from them in the nodes above, are equally
/// spaced. Their position is computed without a search, from three cache lines.
static inline size_t cregnum_words_below(const uint64_t *words, size_t n, uint64_t key) {
    if (n > 8) {
        uint64_t low = words[0], step = words[1] - low, span = words[n - 1] - low;
        if (step != 0 && span == step * (n - 1)) {
            if (key <= low) return 0;
            if (key - low > span) return n;
            size_t place = (size_t)((key - low - 1) / step) + 1;
            if (place < n && words[place - 1] < key && words[place] >= key) return place;
        }
    }
    return cregnum_words_below_by_halves(words, n, key);
}

/// Returns the number of the `n` ascending words that are at most `key`.
static inline size_t cregnum_words_through(const uint64_t *words, size_t n, uint64_t key) {
    const uint64_t *base = words;
    while (n > 1) {
        size_t half = n / 2;
        base = __builtin_unpredictable(base[half - 1] <= key) ? base + half : base;
        n -= half;
    }
    return (size_t)(base - words) + (n == 1 && base[0] <= key);
}

/// Returns the number of entries, from `from` on, with the key of entry `from`; 1 if keys are
/// unique.
static inline size_t cregnum_index_run(const uint64_t *keys, size_t n, size_t from) {
    if (from + 1 == n || keys[from + 1] != keys[from]) return 1;
    return cregnum_words_through(keys + from, n - from, keys[from]);
}

/// Returns the number of the `n` entries, ascending by (key, row), that are less than (key, row).
static inline size_t cregnum_index_below(
    const uint64_t *keys, const uint64_t *rows, size_t n, uint64_t key, uint64_t row) {
    size_t place = cregnum_words_below(keys, n, key);
    if (place == n || keys[place] != key || rows[place] >= row) return place;
    return place + cregnum_words_below(rows + place, cregnum_index_run(keys, n, place), row);
}

/// Returns the number of the `n` entries, ascending by (key, row), that are at most (key, row).
static inline size_t cregnum_index_through(
    const uint64_t *keys, const uint64_t *rows, size_t n, uint64_t key, uint64_t row) {
    size_t place = cregnum_words_below(keys, n, key);
    if (place == n || keys[place] != key || rows[place] > row) return place;
    return place + cregnum_words_through(rows + place, cregnum_index_run(keys, n, place), row);
}

/// Prefetches the `count` cache lines from `address` on, so that a search doesn't wait for them one
/// after the other.
static inline void cregnum_prefetch_lines(const void *address, size_t count) {
    for (size_t i = 0; i < count; i++) __builtin_prefetch((const char *)address + 64 * i);
}

/// Returns the sum of `n` 32-bit counts.
static inline uint64_t cregnum_sum_counts(const uint32_t *counts, size_t n) {
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += counts[i];
    return sum;
}

/// Returns the child that contains the entry at position `*rest`, or the last one if there is none,
/// and sets `*rest` to the position in it. Counts are summed in vectorizable runs of 16.
static inline size_t cregnum_place_at(const uint32_t *counts, size_t n, uint64_t *rest) {
    uint64_t left = *rest;
    size_t place = 0;
    while (place + 16 < n) {
        uint64_t sum = cregnum_sum_counts(counts + place, 16);
        if (left < sum) break;
        left -= sum;
        place += 16;
    }
    while (place + 1 < n && left >= counts[place]) left -= counts[place++];
    *rest = left;
    return place;
}

/// Returns the index of the first of the `n` words that equals `word`; `n` if there is none.
static inline size_t cregnum_find_word(const uint64_t *words, size_t n, uint64_t word) {
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t hits = 0;
        for (size_t j = 0; j < 8; j++) hits |= words[i + j] == word;
        if (hits) break;
    }
    while (i < n && words[i] != word) i++;
    return i;
}

/// Loads the address of a child that other threads may set concurrently (acquire).
static inline uint64_t cregnum_load_child(const void *word) {
    return __atomic_load_n((const uint64_t *)word, __ATOMIC_ACQUIRE);
}

/// Stores the address of a child that other threads may read or set concurrently (release).
static inline void cregnum_store_child(void *word, uint64_t address) {
    __atomic_store_n((uint64_t *)word, address, __ATOMIC_RELEASE);
}

// SipHash-1-3 (Aumasson, Bernstein, 2012; one round per word, three at the end)

static inline uint64_t cregnum_rotate_left(uint64_t x, int by) {
    return (x << by) | (x >> (64 - by));
}

static inline void cregnum_sip_round(uint64_t v[4]) {
    v[0] += v[1];
    v[1] = cregnum_rotate_left(v[1], 13) ^ v[0];
    v[0] = cregnum_rotate_left(v[0], 32);
    v[2] += v[3];
    v[3] = cregnum_rotate_left(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = cregnum_rotate_left(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = cregnum_rotate_left(v[1], 17) ^ v[2];
    v[2] = cregnum_rotate_left(v[2], 32);
}

/// Computes SipHash-1-3 of `n` bytes under the key with little-endian words `key0` and `key1`.
static inline uint64_t cregnum_siphash13(
    const void *bytes, size_t n, uint64_t key0, uint64_t key1) {
    uint64_t v[4] = {
        key0 ^ 0x736f6d6570736575u, key1 ^ 0x646f72616e646f6du,
        key0 ^ 0x6c7967656e657261u, key1 ^ 0x7465646279746573u,
    };
    const unsigned char *from = (const unsigned char *)bytes;
    size_t left = n;
    for (; left >= 8; left -= 8, from += 8) {
        uint64_t word;
        memcpy(&word, from, 8);
        v[3] ^= word;
        cregnum_sip_round(v);
        v[0] ^= word;
    }
    uint64_t last = (uint64_t)(n & 0xff) << 56;
    for (size_t i = 0; i < left; i++) last |= (uint64_t)from[i] << (8 * i);
    v[3] ^= last;
    cregnum_sip_round(v);
    v[0] ^= last;
    v[2] ^= 0xff;
    cregnum_sip_round(v);
    cregnum_sip_round(v);
    cregnum_sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

#endif
