// Comparisons of the values of a chunk with a constant, producing bit masks.
#include "kernels.h"

// 0: not chosen yet, 1: plain, 2: wide. All threads make the same choice.
static int choice;

static int choose(void) {
#if HAS_AVX2
    int best = __builtin_cpu_supports("avx2") ? 2 : 1;
#else
    int best = 1;
#endif
    __atomic_store_n(&choice, best, __ATOMIC_RELAXED);
    return best;
}

bool cregnum_kernels_are_wide(void) {
    int chosen = __atomic_load_n(&choice, __ATOMIC_RELAXED);
    return (chosen == 0 ? choose() : chosen) == 2;
}

void cregnum_kernels_force_plain(bool is_plain) {
    if (is_plain) {
        __atomic_store_n(&choice, 1, __ATOMIC_RELAXED);
    } else {
        choose();
    }
}

size_t cregnum_mask_count(const uint64_t *mask) {
    size_t count = 0;
    for (int i = 0; i < WORDS; i++) {
        count += (size_t)__builtin_popcountll(mask[i]);
    }
    return count;
}

size_t cregnum_collect_keys(const uint64_t *mask, uint64_t first_key, uint64_t *keys) {
    size_t count = 0;
    for (uint64_t word = 0; word < WORDS; word++) {
        uint64_t first = first_key + 64 * word;
        uint64_t bits = mask[word];
        if (bits == ~0ull) {
            for (uint64_t i = 0; i < 64; i++) {
                keys[count + i] = first + i;
            }
            count += 64;
            continue;
        }
        for (; bits != 0; bits &= bits - 1) {
            keys[count++] = first + (uint64_t)__builtin_ctzll(bits);
        }
    }
    return count;
}

// Plain: 64 results as bytes, vectorized by the compiler for the baseline target, then packed.

INLINE uint64_t pack(const uint8_t *answers) {
    uint64_t word = 0;
    for (int i = 0; i < 8; i++) {
        // Moves bit 0 of byte j to bit 56 + j.
        word |= (load64(answers + 8 * i) * 0x0102040810204080ull >> 56) << (8 * i);
    }
    return word;
}

#define ANSWER(OP)                                   \
    for (size_t i = 0; i < n; i++) {                 \
        answers[i] = values[i] OP constant;          \
    }

#define PLAIN(NAME, T)                                                                       \
    INLINE uint64_t NAME##_word(const T *values, size_t n, int comparison, T constant) {     \
        uint8_t answers[64] = {0};                                                           \
        switch (comparison) {                                                                \
            case CREGNUM_EQUAL: ANSWER(==) break;                                            \
            case CREGNUM_NOT_EQUAL: ANSWER(!=) break;                                        \
            case CREGNUM_LESS: ANSWER(<) break;                                              \
            case CREGNUM_LESS_EQUAL: ANSWER(<=) break;                                       \
            case CREGNUM_GREATER: ANSWER(>) break;                                           \
            default: ANSWER(>=) break;                                                       \
        }                                                                                    \
        return pack(answers);                                                                \
    }                                                                                        \
    static void NAME(const T *values, size_t from, size_t count, int comparison, T constant, \
                     uint64_t *mask) {                                                       \
        size_t row = from;                                                                   \
        for (; row + 64 <= count; row += 64) {                                               \
            mask[row / 64] = NAME##_word(values + row, 64, comparison, constant);            \
        }                                                                                    \
        if (row < count) {                                                                   \
            mask[row / 64] = NAME##_word(values + row, count - row, comparison, constant);   \
        }                                                                                    \
    }

PLAIN(plain8, int8_t)
PLAIN(plain16, int16_t)
PLAIN(plain32, int32_t)
PLAIN(plain64, int64_t)
PLAIN(plain_double, double)

#if HAS_AVX2

typedef int8_t lanes8 __attribute__((vector_size(32), aligned(1)));
typedef int16_t lanes16 __attribute__((vector_size(32), aligned(1)));
typedef int32_t lanes32 __attribute__((vector_size(32), aligned(1)));
typedef int64_t lanes64 __attribute__((vector_size(32), aligned(1)));
typedef double lanes_double __attribute__((vector_size(32), aligned(1)));

#define LANES(V, AT) (*(const V *)(values + (AT)))
#define BITS32(X) ((uint64_t)(uint32_t)_mm256_movemask_epi8((__m256i)(X)))
#define BITS8(X) ((uint64_t)(uint32_t)_mm256_movemask_ps((__m256)(X)))
#define BITS4(X) ((uint64_t)(uint32_t)_mm256_movemask_pd((__m256d)(X)))

// Each computes the mask word of the 64 rows starting at `values`.
#define WORD8(OP)                                  \
    (BITS32(LANES(lanes8, 0) OP all) | BITS32(LANES(lanes8, 32) OP all) << 32)
#define HALF16(AT, OP)                                                             \
    BITS32(_mm256_permute4x64_epi64(                                               \
        _mm256_packs_epi16((__m256i)(LANES(lanes16, AT) OP all),                   \
                           (__m256i)(LANES(lanes16, AT + 16) OP all)),             \
        0xD8))
#define WORD16(OP) (HALF16(0, OP) | HALF16(32, OP) << 32)
#define PART32(AT, OP) BITS8(LANES(lanes32, AT) OP all) << (AT)
#define WORD32(OP)                                                               \
    (PART32(0, OP) | PART32(8, OP) | PART32(16, OP) | PART32(24, OP) |           \
     PART32(32, OP) | PART32(40, OP) | PART32(48, OP) | PART32(56, OP))
#define PART64(V, AT, OP) BITS4(LANES(V, AT) OP all) << (AT)
#define QUARTER64(V, AT, OP)                                                     \
    (PART64(V, AT, OP) | PART64(V, AT + 4, OP) | PART64(V, AT + 8, OP) |         \
     PART64(V, AT + 12, OP))
#define WORD64(OP)                                                               \
    (QUARTER64(lanes64, 0, OP) | QUARTER64(lanes64, 16, OP) |                    \
     QUARTER64(lanes64, 32, OP) | QUARTER64(lanes64, 48, OP))
#define WORD_DOUBLE(OP)                                                          \
    (QUARTER64(lanes_double, 0, OP) | QUARTER64(lanes_double, 16, OP) |          \
     QUARTER64(lanes_double, 32, OP) | QUARTER64(lanes_double, 48, OP))

#define WIDE_LOOP(WORD, OP)                           \
    for (; row + 64 <= count; row += 64) {            \
        mask[row / 64] = WORD(OP);                    \
        values += 64;                                 \
    }                                                 \
    break;

#define WIDE(NAME, T, V, WORD, PLAIN)                                                      \
    AVX2 static void NAME(const T *values, size_t count, int comparison, T constant,       \
                          uint64_t *mask) {                                                \
        const T *first = values;                                                           \
        size_t row = 0;                                                                    \
        V all = constant - (V){0};                                                         \
        switch (comparison) {                                                              \
            case CREGNUM_EQUAL: WIDE_LOOP(WORD, ==)                                        \
            case CREGNUM_NOT_EQUAL: WIDE_LOOP(WORD, !=)                                    \
            case CREGNUM_LESS: WIDE_LOOP(WORD, <)                                          \
            case CREGNUM_LESS_EQUAL: WIDE_LOOP(WORD, <=)                                   \
            case CREGNUM_GREATER: WIDE_LOOP(WORD, >)                                       \
            default: WIDE_LOOP(WORD, >=)                                                   \
        }                                                                                  \
        PLAIN(first, row, count, comparison, constant, mask);                              \
    }

WIDE(wide8, int8_t, lanes8, WORD8, plain8)
WIDE(wide16, int16_t, lanes16, WORD16, plain16)
WIDE(wide32, int32_t, lanes32, WORD32, plain32)
WIDE(wide64, int64_t, lanes64, WORD64, plain64)
WIDE(wide_double, double, lanes_double, WORD_DOUBLE, plain_double)

#define COMPARE(SUFFIX, T)                                                        \
    if (cregnum_kernels_are_wide()) {                                             \
        wide##SUFFIX(values, count, comparison, (T)constant, mask);               \
    } else {                                                                      \
        plain##SUFFIX(values, 0, count, comparison, (T)constant, mask);           \
    }
#else
#define COMPARE(SUFFIX, T) plain##SUFFIX(values, 0, count, comparison, (T)constant, mask);
#endif

// Returns whether all values of the width are less (-1) or greater (1) than the constant, or
// neither (0).
INLINE int side_of_width(int log2_width, int64_t constant) {
    if (log2_width == 3) {
        return 0;
    }
    int64_t greatest = (int64_t)((1ull << ((8 << log2_width) - 1)) - 1);
    return constant > greatest ? -1 : (constant < -greatest - 1 ? 1 : 0);
}

void cregnum_compare_ints(const void *values, size_t count, int log2_width, int comparison,
                          int64_t constant, uint64_t *mask) {
    clear(mask);
    int side = side_of_width(log2_width, constant);
    if (side != 0) {
        bool holds = comparison == CREGNUM_NOT_EQUAL;
        holds |= side < 0 && (comparison == CREGNUM_LESS || comparison == CREGNUM_LESS_EQUAL);
        holds |= side > 0 && (comparison == CREGNUM_GREATER || comparison == CREGNUM_GREATER_EQUAL);
        for (size_t row = 0; holds && row < count; row += 64) {
            mask[row / 64] = low_bits(count - row);
        }
        return;
    }
    switch (log2_width) {
        case 0: COMPARE(8, int8_t) break;
        case 1: COMPARE(16, int16_t) break;
        case 2: COMPARE(32, int32_t) break;
        default: COMPARE(64, int64_t) break;
    }
}

void cregnum_compare_doubles(const void *values, size_t count, int comparison, double constant,
                             uint64_t *mask) {
    clear(mask);
    COMPARE(_double, double)
}

void cregnum_compare_identities(const void *cells, size_t count, int comparison, uint64_t high,
                                uint64_t low, uint64_t *mask) {
    if (comparison == CREGNUM_EQUAL) {
        uint64_t wanted[2] = {high, low}, bits[2] = {~0ull, ~0ull};
        kernels_equal_cells(cells, count, wanted, bits, mask);
        return;
    }
    clear(mask);
    const uint8_t *cell = cells;
    bool on_less = comparison == CREGNUM_LESS || comparison == CREGNUM_LESS_EQUAL ||
                   comparison == CREGNUM_NOT_EQUAL;
    bool on_equal = comparison == CREGNUM_EQUAL || comparison == CREGNUM_LESS_EQUAL ||
                    comparison == CREGNUM_GREATER_EQUAL;
    bool on_greater = comparison == CREGNUM_GREATER || comparison == CREGNUM_GREATER_EQUAL ||
                      comparison == CREGNUM_NOT_EQUAL;
    for (size_t row = 0; row < count; row++, cell += 16) {
        uint64_t x = load64(cell), y = load64(cell + 8);
        bool less = x < high || (x == high && y < low);
        bool equal = x == high && y == low;
        bool answer = less ? on_less : (equal ? on_equal : on_greater);
        mask[row / 64] |= (uint64_t)answer << (row % 64);
    }
}

void cregnum_compare_double_columns(const void *a, const void *b, size_t count, int comparison,
                                    uint64_t *mask) {
    clear(mask);
    const double *x = a, *y = b;
    for (size_t row = 0; row < count; row++) {
        bool answer;
        switch (comparison) {
            case CREGNUM_EQUAL: answer = x[row] == y[row]; break;
            case CREGNUM_NOT_EQUAL: answer = x[row] != y[row]; break;
            case CREGNUM_LESS: answer = x[row] < y[row]; break;
            case CREGNUM_LESS_EQUAL: answer = x[row] <= y[row]; break;
            case CREGNUM_GREATER: answer = x[row] > y[row]; break;
            default: answer = x[row] >= y[row]; break;
        }
        mask[row / 64] |= (uint64_t)answer << (row % 64);
    }
}
