// Ranks of values, and sorting of (rank, key) pairs: LSD radix sort, 11 bits at a time.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "kernels.h"

#include <stdlib.h>
#include <sys/mman.h>

#define RANKS(T)                                                                          \
    for (size_t row = 0; row < count; row++) {                                            \
        ranks[row] = ((uint64_t)(int64_t)((const T *)values)[row] ^ (1ull << 63)) ^ turn; \
    }

void cregnum_rank_ints(const void *values, size_t count, int log2_width, bool descending,
                       uint64_t *ranks) {
    uint64_t turn = descending ? ~0ull : 0;
    switch (log2_width) {
        case 0: RANKS(int8_t) break;
        case 1: RANKS(int16_t) break;
        case 2: RANKS(int32_t) break;
        default: RANKS(int64_t) break;
    }
}

void cregnum_rank_doubles(const void *values, size_t count, bool descending, uint64_t *ranks) {
    uint64_t turn = descending ? ~0ull : 0;
    const double *doubles = values;
    for (size_t row = 0; row < count; row++) {
        double value = doubles[row] + 0.0;  // turns -0.0 into 0.0
        uint64_t bits = load64(&value);
        bits ^= (uint64_t)((int64_t)bits >> 63) | 1ull << 63;
        ranks[row] = (value == value ? bits : 1) ^ turn;
    }
}

INLINE bool is_before(cregnum_pair a, cregnum_pair b) {
    return a.rank != b.rank ? a.rank < b.rank : a.key < b.key;
}

size_t cregnum_collect_pairs(const uint64_t *ranks, const uint64_t *mask, const uint64_t *flagged,
                             uint64_t first_key, cregnum_pair limit, cregnum_pair *pairs) {
    size_t count = 0;
    for (size_t word = 0; word < WORDS; word++) {
        for (uint64_t bits = mask[word]; bits != 0; bits &= bits - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(bits);
            size_t row = 64 * word + bit;
            if (ranks[row] > limit.rank) {
                continue;
            }
            uint64_t flag = flagged[word] >> bit << 63;
            cregnum_pair pair = {ranks[row], (first_key + row) | flag};
            if (is_before(pair, limit)) {
                pairs[count++] = pair;
            }
        }
    }
    return count;
}

// Merges runs of increasing length. For small counts.
static void merge_sort(cregnum_pair *pairs, cregnum_pair *scratch, size_t count) {
    enum { RUN = 16 };
    for (size_t start = 0; start < count; start += RUN) {
        size_t end = start + RUN < count ? start + RUN : count;
        for (size_t i = start + 1; i < end; i++) {
            cregnum_pair pair = pairs[i];
            size_t at = i;
            for (; at > start && is_before(pair, pairs[at - 1]); at--) {
                pairs[at] = pairs[at - 1];
            }
            pairs[at] = pair;
        }
    }
    cregnum_pair *from = pairs, *to = scratch;
    for (size_t run = RUN; run < count; run *= 2) {
        for (size_t start = 0; start < count; start += 2 * run) {
            size_t middle = start + run < count ? start + run : count;
            size_t end = middle + run < count ? middle + run : count;
            size_t a = start, b = middle;
            for (size_t at = start; at < end; at++) {
                bool takes_b = a == middle || (b < end && is_before(from[b], from[a]));
                to[at] = takes_b ? from[b++] : from[a++];
            }
        }
        cregnum_pair *other = from;
        from = to;
        to = other;
    }
    if (from != pairs) {
        memcpy(pairs, from, count * sizeof *pairs);
    }
}

// Moves the pairs without bit 63 before those with it; stable.
static void part(cregnum_pair *pairs, cregnum_pair *scratch, size_t count) {
    size_t low = 0, high = 0;
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].key >> 63) {
            scratch[high++] = pairs[i];
        } else {
            pairs[low++] = pairs[i];
        }
    }
    memcpy(pairs + low, scratch, high * sizeof *pairs);
}

enum {
    DIGIT_BITS = 11,
    DIGITS = 6,
    BUCKETS = 1 << DIGIT_BITS,
    MERGED_MAX = 1024,
};

void cregnum_sort_pairs(cregnum_pair *pairs, cregnum_pair *scratch, size_t count) {
    if (count <= MERGED_MAX) {
        merge_sort(pairs, scratch, count);
        return;
    }
    size_t places[DIGITS][BUCKETS];
    memset(places, 0, sizeof places);
    for (size_t i = 0; i < count; i++) {
        uint64_t rank = pairs[i].rank;
        for (int digit = 0; digit < DIGITS; digit++) {
            places[digit][rank >> (DIGIT_BITS * digit) & (BUCKETS - 1)]++;
        }
    }
    cregnum_pair *from = pairs, *to = scratch;
    for (int digit = 0; digit < DIGITS; digit++) {
        size_t *place = places[digit];
        int shift = DIGIT_BITS * digit;
        if (place[from[0].rank >> shift & (BUCKETS - 1)] == count) {
            continue;  // all digits are equal
        }
        size_t sum = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            size_t here = place[bucket];
            place[bucket] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; i++) {
            to[place[from[i].rank >> shift & (BUCKETS - 1)]++] = from[i];
        }
        cregnum_pair *other = from;
        from = to;
        to = other;
    }
    if (from != pairs) {
        memcpy(pairs, from, count * sizeof *pairs);
    }
    // Bit 63 only distinguishes null from the minimum (or maximum) value.
    size_t end = 0;
    while (end < count && pairs[end].rank == 0) {
        end++;
    }
    part(pairs, scratch, end);
    size_t start = count;
    while (start > end && pairs[start - 1].rank == ~0ull) {
        start--;
    }
    part(pairs + start, scratch, count - start);
}

void *cregnum_allocate_buffer(size_t byte_count) {
    size_t huge = 2 << 20;
    if (byte_count < 2 * huge) {
        return malloc(byte_count == 0 ? 1 : byte_count);
    }
    size_t rounded = (byte_count + huge - 1) & ~(huge - 1);
    void *buffer = aligned_alloc(huge, rounded);
    if (buffer != NULL) {
        madvise(buffer, rounded, MADV_HUGEPAGE);  // advice; it may fail
    }
    return buffer;
}
