// Loops over the rows of one chunk: comparisons producing bit masks, sums, minimum and maximum,
// text search, radix sort. Each has a plain and an AVX2 version, chosen at the first call; both
// produce identical bits.
//
// A mask has 16 words for 1,024 rows; row i is bit i % 64 of word i / 64. Every function writes all
// 16 words, with zeros for rows from `count` on. No function reads values at or after `count`, or
// text at or after `text_count`, because another thread may be writing there.
#ifndef CREGNUM_KERNELS_H
#define CREGNUM_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Comparison operators, with the raw values of `Comparison`.
enum {
    CREGNUM_EQUAL = 0,
    CREGNUM_NOT_EQUAL = 1,
    CREGNUM_LESS = 2,
    CREGNUM_LESS_EQUAL = 3,
    CREGNUM_GREATER = 4,
    CREGNUM_GREATER_EQUAL = 5,
};

/// Returns whether the AVX2 versions are in use.
bool cregnum_kernels_are_wide(void);
/// For tests: selects the plain versions in the whole process, or the processor's best again.
void cregnum_kernels_force_plain(bool is_plain);

// Comparisons of `count` <= 1,024 values with a constant

/// Signed integers of 1 << log2_width bytes.
void cregnum_compare_ints(const void *values, size_t count, int log2_width, int comparison,
                          int64_t constant, uint64_t *mask);
/// IEEE doubles: comparisons with NaN are false, except that CREGNUM_NOT_EQUAL is true.
void cregnum_compare_doubles(const void *values, size_t count, int comparison, double constant,
                             uint64_t *mask);
/// Cells of 16 bytes, as unsigned integers (high word first in the cell).
void cregnum_compare_identities(const void *cells, size_t count, int comparison, uint64_t high,
                                uint64_t low, uint64_t *mask);
/// Two columns of doubles, row by row.
void cregnum_compare_double_columns(const void *a, const void *b, size_t count, int comparison,
                                    uint64_t *mask);

// Text: cells of 16 bytes as in `ClusterLayout.swift`, and the text that they refer to

/// Finds rows with exactly these `n` bytes. For n > 4,096, finds the rows that may have them.
void cregnum_equal_text(const void *cells, size_t count, const void *text, size_t text_count,
                        const void *bytes, size_t n, uint64_t *mask);
/// Finds the rows whose bytes are less than the constant's, and those that are equal. `later` gets
/// the rows with large values for which the first four bytes aren't decisive.
void cregnum_order_text(const void *cells, size_t count, const void *text, size_t text_count,
                        const void *bytes, size_t n, uint64_t *less, uint64_t *equal,
                        uint64_t *later);

enum {
    CREGNUM_CONTAINS = 0,
    CREGNUM_BEGINS = 1,
    CREGNUM_ENDS = 2,
};

/// Finds the rows that contain, begin with or end with the `n` bytes. `later` gets the rows with
/// large values that the caller must check. `is_in_order`: the text is in row order without gaps,
/// so that it can be searched as a whole.
void cregnum_match_text(const void *cells, size_t count, const void *text, size_t text_count,
                        bool is_in_order, int how, const void *bytes, size_t n, uint64_t *mask,
                        uint64_t *later);
/// Returns the first position of the `n` >= 1 bytes in the text, or -1.
ptrdiff_t cregnum_find(const void *text, size_t text_count, const void *bytes, size_t n);
/// Returns what remains of a letter's canonical decomposition without diacritics: a scalar, or 0 for
/// nothing. A scalar without diacritics is returned as it is.
uint32_t cregnum_without_diacritics(uint32_t scalar);

// Masks

/// Returns the number of bits set in the 16 words.
size_t cregnum_mask_count(const uint64_t *mask);

// Folds over the rows of a mask, which has no bits at or after `count`

/// Computes the 128-bit sum of integers.
void cregnum_sum_ints(const void *values, size_t count, int log2_width, const uint64_t *mask,
                      uint64_t *low, int64_t *high);
/// Returns the sum of doubles. Row i is added in lane i % 8, in ascending order; the result is ((0
/// + 4) + (2 + 6)) + ((1 + 5) + (3 + 7)), the same on every processor.
double cregnum_sum_doubles(const void *values, size_t count, const uint64_t *mask);
/// Computes the minimum and maximum integer; false if the mask is empty.
bool cregnum_bounds_ints(const void *values, size_t count, int log2_width, const uint64_t *mask,
                         int64_t *least, int64_t *greatest);
/// Computes the minimum and maximum double, ignoring NaN; false if there is none.
bool cregnum_bounds_doubles(const void *values, size_t count, const uint64_t *mask, double *least,
                            double *greatest);

// Sorting. A pair is a rank, compared first, and an object key whose bit 63 is part of the order.

typedef struct {
    uint64_t rank;
    uint64_t key;
} cregnum_pair;

/// Computes the ranks of integers, ascending or descending.
void cregnum_rank_ints(const void *values, size_t count, int log2_width, bool descending,
                       uint64_t *ranks);
/// Computes the ranks of doubles, ascending or all reversed: NaN first, -0.0 equal to 0.0.
void cregnum_rank_doubles(const void *values, size_t count, bool descending, uint64_t *ranks);
/// Computes the ranks of 16-byte text cells: the first eight bytes, zero-padded. `later` gets the
/// rows with large values, whose ranks the caller must compute.
void cregnum_rank_text(const void *cells, size_t count, const void *text, size_t text_count,
                       bool descending, uint64_t *ranks, uint64_t *later);
/// Writes the rows of `mask` that come before `limit` as pairs, with key `first_key` + row and bit
/// 63 set for the rows of `flagged`. Returns their number (at most 1,024).
size_t cregnum_collect_pairs(const uint64_t *ranks, const uint64_t *mask, const uint64_t *flagged,
                             uint64_t first_key, cregnum_pair limit, cregnum_pair *pairs);
/// Writes `first_key` + row for the rows of `mask`. Returns their number.
size_t cregnum_collect_keys(const uint64_t *mask, uint64_t first_key, uint64_t *keys);
/// Sorts pairs by rank, then key. Pairs with equal rank and equal bit 63 must already be in key
/// order. `scratch` has room for `count` pairs.
void cregnum_sort_pairs(cregnum_pair *pairs, cregnum_pair *scratch, size_t count);
/// Allocates a large buffer, in huge pages if available. Released with `free`.
void *cregnum_allocate_buffer(size_t byte_count);

#endif
