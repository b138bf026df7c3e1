// Strings and data: cells of 16 bytes, and the text of a chunk.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // memmem
#endif
#include "kernels.h"

enum {
    INLINE_BYTES = 12,
    PREFIX_BYTES = 4,
    TEXT_BYTES = 4096,  // longer ones are large values
};

// Cells

INLINE bool cell_equals(const uint8_t *cell, const uint64_t wanted[2], const uint64_t bits[2]) {
    uint64_t difference = ((load64(cell) ^ wanted[0]) & bits[0]) |
                          ((load64(cell + 8) ^ wanted[1]) & bits[1]);
    return difference == 0;
}

static void plain_equal_cells(const uint8_t *cells, size_t from, size_t count,
                              const uint64_t wanted[2], const uint64_t bits[2], uint64_t *mask) {
    for (size_t row = from; row < count; row++) {
        mask[row / 64] |= (uint64_t)cell_equals(cells + 16 * row, wanted, bits) << (row % 64);
    }
}

#if HAS_AVX2
AVX2 static void wide_equal_cells(const uint8_t *cells, size_t count, const uint64_t wanted[2],
                                  const uint64_t bits[2], uint64_t *mask) {
    __m256i all = _mm256_set_epi64x((long long)wanted[1], (long long)wanted[0],
                                    (long long)wanted[1], (long long)wanted[0]);
    __m256i care = _mm256_set_epi64x((long long)bits[1], (long long)bits[0], (long long)bits[1],
                                     (long long)bits[0]);
    size_t row = 0;
    for (; row + 64 <= count; row += 64) {
        uint64_t word = 0;
        for (int part = 0; part < 64; part += 4) {
            const uint8_t *cell = cells + 16 * (row + (size_t)part);
            _mm_prefetch((const char *)cell + 2048, _MM_HINT_T0);
            __m256i a = _mm256_loadu_si256((const __m256i *)cell);
            __m256i b = _mm256_loadu_si256((const __m256i *)(cell + 32));
            a = _mm256_cmpeq_epi64(_mm256_and_si256(a, care), all);
            b = _mm256_cmpeq_epi64(_mm256_and_si256(b, care), all);
            // Rows 0, 2, 1, 3.
            __m256i both = _mm256_and_si256(_mm256_unpacklo_epi64(a, b),
                                            _mm256_unpackhi_epi64(a, b));
            both = _mm256_permute4x64_epi64(both, 0xD8);
            word |= (uint64_t)(uint32_t)_mm256_movemask_pd((__m256d)both) << part;
        }
        mask[row / 64] = word;
    }
    plain_equal_cells(cells, row, count, wanted, bits, mask);
}
#endif

void kernels_equal_cells(const void *cells, size_t count, const uint64_t cell[2],
                         const uint64_t bits[2], uint64_t *mask) {
    clear(mask);
    uint64_t wanted[2] = {cell[0] & bits[0], cell[1] & bits[1]};
#if HAS_AVX2
    if (cregnum_kernels_are_wide()) {
        wide_equal_cells(cells, count, wanted, bits, mask);
        return;
    }
#endif
    plain_equal_cells(cells, 0, count, wanted, bits, mask);
}

// Returns the bytes of a cell; NULL for a large value, or if they are out of the text's bounds.
INLINE const uint8_t *cell_bytes(const uint8_t *cell, uint32_t length, const uint8_t *text,
                                 size_t text_count) {
    if (length <= INLINE_BYTES) {
        return cell + 4;
    }
    uint32_t offset = load32(cell + 8);
    bool fits = load32(cell + 12) == 0 && (uint64_t)offset + length <= text_count;
    return fits ? text + offset : NULL;
}

void cregnum_equal_text(const void *cells, size_t count, const void *text, size_t text_count,
                        const void *bytes, size_t n, uint64_t *mask) {
    uint8_t cell[16] = {0};
    uint32_t length = (uint32_t)n;
    memcpy(cell, &length, 4);
    memcpy(cell + 4, bytes, n <= INLINE_BYTES ? n : PREFIX_BYTES);
    uint64_t wanted[2] = {load64(cell), load64(cell + 8)};
    uint64_t bits[2] = {~0ull, n <= INLINE_BYTES ? ~0ull : 0};
    if (n > UINT32_MAX) {
        clear(mask);
        return;
    }
    kernels_equal_cells(cells, count, wanted, bits, mask);
    if (n <= INLINE_BYTES) {
        return;
    }
    for (size_t word = 0; word < WORDS; word++) {
        for (uint64_t left = mask[word]; left != 0; left &= left - 1) {
            size_t row = 64 * word + (size_t)__builtin_ctzll(left);
            const uint8_t *here = (const uint8_t *)cells + 16 * row;
            if (load32(here + 12) != 0) {
                continue;  // large: left to the caller
            }
            const uint8_t *value = cell_bytes(here, length, text, text_count);
            if (value == NULL || memcmp(value, bytes, n) != 0) {
                mask[word] &= ~(left & -left);
            }
        }
    }
}

void cregnum_order_text(const void *cells, size_t count, const void *text, size_t text_count,
                        const void *bytes, size_t n, uint64_t *less, uint64_t *equal,
                        uint64_t *later) {
    clear(less);
    clear(equal);
    clear(later);
    size_t prefix = n < PREFIX_BYTES ? n : PREFIX_BYTES;
    for (size_t row = 0; row < count; row++) {
        const uint8_t *cell = (const uint8_t *)cells + 16 * row;
        uint32_t length = load32(cell);
        uint64_t bit = 1ull << (row % 64);
        size_t common = length < prefix ? length : prefix;
        int order = memcmp(cell + 4, bytes, common);
        common = length < n ? length : n;
        if (order == 0 && common > PREFIX_BYTES) {
            const uint8_t *value = cell_bytes(cell, length, text, text_count);
            if (value == NULL) {
                later[row / 64] |= bit;
                continue;
            }
            order = memcmp(value + PREFIX_BYTES, (const uint8_t *)bytes + PREFIX_BYTES,
                           common - PREFIX_BYTES);
        }
        if (order == 0) {
            order = length < n ? -1 : length > n;
        }
        less[row / 64] |= order < 0 ? bit : 0;
        equal[row / 64] |= order == 0 ? bit : 0;
    }
}

// Search: positions where two bytes of the pattern match, then the whole pattern. Where many
// positions match in more than their first bytes, memmem takes over, which is linear.

enum { FIRST_BYTES = 64 };

// Compares the first bytes, and the others only if those are equal. `others` counts the latter.
INLINE bool is_hit(const uint8_t *here, const uint8_t *bytes, size_t n, size_t *others) {
    size_t first = n < FIRST_BYTES ? n : FIRST_BYTES;
    if (memcmp(here, bytes, first) != 0) {
        return false;
    }
    *others += n - first;
    return memcmp(here + first, bytes + first, n - first) == 0;
}

// Whether comparing others costs more than searching `passed` bytes with memmem would have.
INLINE bool is_costly(size_t others, size_t passed, size_t n) { return others > passed + 8 * n; }

static size_t linear_find(const uint8_t *text, size_t from, size_t count, const uint8_t *bytes,
                          size_t n) {
    const uint8_t *hit = memmem(text + from, count - from, bytes, n);
    return hit == NULL ? SIZE_MAX : (size_t)(hit - text);
}

// The two bytes of the pattern that are compared first.
typedef struct {
    size_t a;
    size_t b;
} probe;

INLINE probe bytes_at_ends(size_t n) { return (probe){0, n - 1}; }

// Chooses the two bytes, among the first 64, that are rarest at the beginning of the text.
static probe rarest_bytes(const uint8_t *text, size_t count, const uint8_t *bytes, size_t n) {
    uint16_t seen[256] = {0};
    size_t sample = count < 256 ? count : 256;
    for (size_t i = 0; i < sample; i++) {
        seen[text[i]]++;
    }
    probe best = bytes_at_ends(n);
    size_t end = n < 64 ? n : 64;
    for (size_t i = 0; i < end; i++) {
        if (seen[bytes[i]] < seen[bytes[best.a]]) {
            best.a = i;
        }
    }
    if (best.b == best.a) {
        best.b = 0;
    }
    for (size_t i = 0; i < end; i++) {
        if (i != best.a && seen[bytes[i]] < seen[bytes[best.b]]) {
            best.b = i;
        }
    }
    return best;
}

static size_t plain_find(const uint8_t *text, size_t from, size_t count, const uint8_t *bytes,
                         size_t n) {
    size_t start = from;
    size_t others = 0;
    while (from + n <= count) {
        const uint8_t *hit = memchr(text + from, bytes[0], count - n + 1 - from);
        if (hit == NULL) {
            break;
        }
        if (is_hit(hit, bytes, n, &others)) {
            return (size_t)(hit - text);
        }
        from = (size_t)(hit - text) + 1;
        if (is_costly(others, from - start, n)) {
            return linear_find(text, from, count, bytes, n);
        }
    }
    return SIZE_MAX;
}

#if HAS_AVX2
AVX2 static size_t wide_find(const uint8_t *text, size_t from, size_t count, const uint8_t *bytes,
                             size_t n, probe at) {
    __m256i first = _mm256_set1_epi8((char)bytes[at.a]);
    __m256i last = _mm256_set1_epi8((char)bytes[at.b]);
    size_t start = from;
    size_t others = 0;
    // Neither vector extends beyond from + n - 1 + 32.
    for (; from + n + 31 <= count; from += 32) {
        __m256i a = _mm256_loadu_si256((const __m256i *)(text + from + at.a));
        __m256i b = _mm256_loadu_si256((const __m256i *)(text + from + at.b));
        __m256i both = _mm256_and_si256(_mm256_cmpeq_epi8(a, first), _mm256_cmpeq_epi8(b, last));
        for (uint32_t hits = (uint32_t)_mm256_movemask_epi8(both); hits != 0; hits &= hits - 1) {
            size_t hit = from + (size_t)__builtin_ctz(hits);
            if (is_hit(text + hit, bytes, n, &others)) {
                return hit;
            }
        }
        if (is_costly(others, from - start, n)) {
            return linear_find(text, from + 32, count, bytes, n);
        }
    }
    return plain_find(text, from, count, bytes, n);
}
#endif

INLINE size_t find(const uint8_t *text, size_t from, size_t count, const uint8_t *bytes,
                   size_t n, probe at) {
    if (n > count) {
        return SIZE_MAX;
    }
    (void)at;
#if HAS_AVX2
    if (cregnum_kernels_are_wide()) {
        return wide_find(text, from, count, bytes, n, at);
    }
#endif
    return plain_find(text, from, count, bytes, n);
}

ptrdiff_t cregnum_find(const void *text, size_t text_count, const void *bytes, size_t n) {
    // SIZE_MAX becomes -1.
    return (ptrdiff_t)find(text, 0, text_count, bytes, n, bytes_at_ends(n));
}

// Searches the text as a whole, finds the row of each hit, and continues after that row.
static void find_rows(const uint8_t *cells, size_t count, const uint8_t *text, size_t text_count,
                      const uint8_t *bytes, size_t n, uint64_t *mask) {
    size_t row = 0;
    size_t from = 0;
    probe at = rarest_bytes(text, text_count, bytes, n);
    while (true) {
        size_t hit = find(text, from, text_count, bytes, n, at);
        if (hit == SIZE_MAX) {
            return;
        }
        for (; row < count; row++) {
            const uint8_t *cell = cells + 16 * row;
            uint32_t length = load32(cell);
            if (length <= INLINE_BYTES || load32(cell + 12) != 0) {
                continue;
            }
            size_t start = load32(cell + 8);
            if (hit < start) {
                from = start;
                break;
            }
            if (hit < start + length) {
                mask[row / 64] |= (uint64_t)(hit + n <= start + length) << (row % 64);
                from = start + length;
                break;
            }
        }
        if (row == count) {
            return;
        }
    }
}

INLINE bool value_matches(const uint8_t *value, size_t length, int how, const uint8_t *bytes,
                          size_t n) {
    if (length < n) {
        return false;
    }
    switch (how) {
        case CREGNUM_BEGINS: return memcmp(value, bytes, n) == 0;
        case CREGNUM_ENDS: return memcmp(value + length - n, bytes, n) == 0;
        default: return find(value, 0, length, bytes, n, bytes_at_ends(n)) != SIZE_MAX;
    }
}

void cregnum_match_text(const void *cells, size_t count, const void *text, size_t text_count,
                        bool is_in_order, int how, const void *bytes, size_t n, uint64_t *mask,
                        uint64_t *later) {
    clear(mask);
    clear(later);
    if (n == 0) {
        for (size_t row = 0; row < count; row += 64) {
            mask[row / 64] = low_bits(count - row);
        }
        return;
    }
    bool is_searched = how == CREGNUM_CONTAINS && is_in_order;
    if (is_searched && text_count > 0 && n <= TEXT_BYTES) {
        find_rows(cells, count, text, text_count, bytes, n, mask);
    }
    uint32_t length_min = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
    for (size_t row = 0; row < count; row++) {
        const uint8_t *cell = (const uint8_t *)cells + 16 * row;
        uint32_t length = load32(cell);
        if (length < length_min || (is_searched && length > INLINE_BYTES && length <= TEXT_BYTES)) {
            continue;
        }
        if (length > INLINE_BYTES) {
            if (load32(cell + 12) != 0) {
                later[row / 64] |= 1ull << (row % 64);
                continue;
            }
            size_t prefix = n < PREFIX_BYTES ? n : PREFIX_BYTES;
            if (is_searched || (how == CREGNUM_BEGINS && memcmp(cell + 4, bytes, prefix) != 0)) {
                continue;
            }
        }
        const uint8_t *value = cell_bytes(cell, length, text, text_count);
        if (value != NULL && value_matches(value, length, how, bytes, n)) {
            mask[row / 64] |= 1ull << (row % 64);
        }
    }
}

void cregnum_rank_text(const void *cells, size_t count, const void *text, size_t text_count,
                       bool descending, uint64_t *ranks, uint64_t *later) {
    clear(later);
    for (size_t row = 0; row < count; row++) {
        const uint8_t *cell = (const uint8_t *)cells + 16 * row;
        uint32_t length = load32(cell);
        uint64_t first = 0;
        const uint8_t *value = cell_bytes(cell, length, text, text_count);
        if (value == NULL) {
            memcpy(&first, cell + 4, PREFIX_BYTES);
            later[row / 64] |= 1ull << (row % 64);
        } else {
            memcpy(&first, value, length < 8 ? length : 8);
        }
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        first = __builtin_bswap64(first);
#endif
        ranks[row] = descending ? ~first : first;
    }
}
