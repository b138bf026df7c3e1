// Loops over the rows of one chunk: comparisons to bit masks, sums, least and greatest values, text
// search, radix sort. Each has a plain form and one for AVX2, chosen at the first call; both give
// the same bits.
//
// A mask has 16 words for 1,024 rows, row i is bit i % 64 of word i / 64. Every function writes all
// 16 words and zeros for rows from `count` on. No function loads a value at or after `count`, nor
// text at or after `text_count`: another thread may be writing there.
#ifndef CREGNUM_KERNELS_H
#define CREGNUM_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// How two values compare; the numbers of `Comparison`.
enum {
    CREGNUM_EQUAL = 0,
    CREGNUM_NOT_EQUAL = 1,
    CREGNUM_LESS = 2,
    CREGNUM_LESS_EQUAL = 3,
    CREGNUM_GREATER = 4,
    CREGNUM_GREATER_EQUAL = 5,
};

/// Whether the AVX2 forms are in use.
bool cregnum_kernels_are_wide(void);
/// For tests: uses the plain forms from now on in the whole process, or the processor's best again.
void cregnum_kernels_force_plain(bool is_plain);

// Comparisons of `count` <= 1,024 values with a constant

/// Signed integers of 1 << log2_width bytes.
void cregnum_compare_ints(const void *values, size_t count, int log2_width, int comparison,
                          int64_t constant, uint64_t *mask);
/// IEEE doubles: every comparison with NaN is false, but CREGNUM_NOT_EQUAL is true.
void cregnum_compare_doubles(const void *values, size_t count, int comparison, double constant,
                             uint64_t *mask);
/// Cells of 16 bytes as unsigned integers (high word first in the cell).
void cregnum_compare_identities(const void *cells, size_t count, int comparison, uint64_t high,
                                uint64_t low, uint64_t *mask);
/// Two columns of doubles, row by row.
void cregnum_compare_double_columns(const void *a, const void *b, size_t count, int comparison,
                                    uint64_t *mask);

// Text: cells of 16 bytes as `ClusterLayout.swift` has them, and the text that they point into

/// Rows with exactly these `n` bytes. For n > 4,096: the rows that may have them.
void cregnum_equal_text(const void *cells, size_t count, const void *text, size_t text_count,
                        const void *bytes, size_t n, uint64_t *mask);
/// Rows whose bytes come before the constant's, and those that are equal; `later`: rows with large
/// values whose first four bytes do not decide it.
void cregnum_order_text(const void *cells, size_t count, const void *text, size_t text_count,
                        const void *bytes, size_t n, uint64_t *less, uint64_t *equal,
                        uint64_t *later);

enum {
    CREGNUM_CONTAINS = 0,
    CREGNUM_BEGINS = 1,
    CREGNUM_ENDS = 2,
};

/// Rows that contain, begin with or end with the `n` bytes; `later`: rows with large values that
/// the caller must look at. `is_in_order`: the text is in row order without holes, so that it can
/// be searched as a whole.
void cregnum_match_text(const void *cells, size_t count, const void *text, size_t text_count,
                        bool is_in_order, int how, const void *bytes, size_t n, uint64_t *mask,
                        uint64_t *later);
/// The first place of the `n` >= 1 bytes in the text, or -1.
ptrdiff_t cregnum_find(const void *text, size_t text_count, const void *bytes, size_t n);

// Masks

/// The number of bits in the 16 words.
size_t cregnum_mask_count(const uint64_t *mask);

// Folds over the rows of a mask, which has no bit at or after `count`

/// The sum of integers, of 128 bits.
void cregnum_sum_ints(const void *values, size_t count, int log2_width, const uint64_t *mask,
                      uint64_t *low, int64_t *high);
/// The sum of doubles. Row i is added in lane i % 8, rows ascending; the result is
/// ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7)): the same on every processor.
double cregnum_sum_doubles(const void *values, size_t count, const uint64_t *mask);
/// The least and the greatest integer; false if the mask is empty.
bool cregnum_bounds_ints(const void *values, size_t count, int log2_width, const uint64_t *mask,
                         int64_t *least, int64_t *greatest);
/// The least and the greatest double but NaN; false if there is none.
bool cregnum_bounds_doubles(const void *values, size_t count, const uint64_t *mask, double *least,
                            double *greatest);

// Sorting. A pair is a rank, compared first, and an object key whose bit 63 is part of the order.

typedef struct {
    uint64_t rank;
    uint64_t key;
} cregnum_pair;

/// The ranks of integers: ascending as the values, or descending.
void cregnum_rank_ints(const void *values, size_t count, int log2_width, bool descending,
                       uint64_t *ranks);
/// The ranks of doubles: NaN before all others, -0.0 with 0.0; ascending, or all reversed.
void cregnum_rank_doubles(const void *values, size_t count, bool descending, uint64_t *ranks);
/// The ranks of 16-byte text cells: the first eight bytes, zeros behind a shorter value. `later`:
/// the rows with large values, whose ranks the caller must find.
void cregnum_rank_text(const void *cells, size_t count, const void *text, size_t text_count,
                       bool descending, uint64_t *ranks, uint64_t *later);
/// Writes the rows of `mask` that come before `limit` as pairs, key `first_key` + row, with bit 63
/// set for the rows of `flagged`; returns how many (at most 1,024).
size_t cregnum_collect_pairs(const uint64_t *ranks, const uint64_t *mask, const uint64_t *flagged,
                             uint64_t first_key, cregnum_pair limit, cregnum_pair *pairs);
/// Writes `first_key` + row for the rows of `mask`; returns how many.
size_t cregnum_collect_keys(const uint64_t *mask, uint64_t first_key, uint64_t *keys);
/// Sorts pairs by rank, then key. Pairs of equal rank and equal bit 63 are in the order of their
/// keys before. `scratch` has room for as many.
void cregnum_sort_pairs(cregnum_pair *pairs, cregnum_pair *scratch, size_t count);
/// Memory for large buffers, in huge pages where the system has them; given back with `free`.
void *cregnum_allocate_buffer(size_t byte_count);

#endif
