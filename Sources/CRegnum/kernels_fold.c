// Sums and bounds of the values of a chunk under a mask. Written with vector types available on
// every target, and compiled a second time for AVX2. Additions happen in source order.
#include "kernels.h"

typedef int64_t eight_longs __attribute__((vector_size(64), aligned(8)));
typedef double eight_doubles __attribute__((vector_size(64), aligned(8)));

// Lane i: all ones if bit i is set.
#define SPREAD(BITS) \
    (((eight_longs){1, 2, 4, 8, 16, 32, 64, 128} & (int64_t)(BITS)) != (eight_longs){0})

#define JOIN(SUM) \
    (((SUM[0] + SUM[4]) + (SUM[2] + SUM[6])) + ((SUM[1] + SUM[5]) + (SUM[3] + SUM[7])))

INLINE double sum_doubles(const double *values, size_t count, const uint64_t *mask) {
    eight_doubles sum = {0};
    for (size_t row = 0; row < count; row += 8) {
        uint64_t bits = mask[row / 64] >> (row % 64) & 0xFF;
        if (bits == 0) {
            continue;
        }
        eight_doubles eight = {0};
        if (row + 8 <= count) {
            eight = *(const eight_doubles *)(values + row);
        } else {
            memcpy(&eight, values + row, 8 * (count - row));
        }
        if (bits != 0xFF) {
            eight = (eight_doubles)((eight_longs)eight & SPREAD(bits));
        }
        sum += eight;
    }
    return JOIN(sum);
}

INLINE bool bounds_doubles(const double *values, size_t count, const uint64_t *mask,
                           double *least, double *greatest) {
    double infinity = __builtin_inf();
    eight_doubles low = infinity - (eight_doubles){0};
    eight_doubles high = -infinity - (eight_doubles){0};
    eight_longs any = {0};
    for (size_t row = 0; row < count; row += 8) {
        uint64_t bits = mask[row / 64] >> (row % 64) & 0xFF;
        if (bits == 0) {
            continue;
        }
        eight_doubles eight = {0};
        if (row + 8 <= count) {
            eight = *(const eight_doubles *)(values + row);
        } else {
            memcpy(&eight, values + row, 8 * (count - row));
        }
        eight_longs counts = (eight_longs)(eight == eight);
        if (bits != 0xFF) {
            counts &= SPREAD(bits);
        }
        any |= counts;
        eight_longs lower = (eight_longs)(eight < low) & counts;
        eight_longs higher = (eight_longs)(eight > high) & counts;
        low = (eight_doubles)(((eight_longs)eight & lower) | ((eight_longs)low & ~lower));
        high = (eight_doubles)(((eight_longs)eight & higher) | ((eight_longs)high & ~higher));
    }
    int64_t found = 0;
    *least = infinity;
    *greatest = -infinity;
    for (int lane = 0; lane < 8; lane++) {
        found |= any[lane];
        *least = low[lane] < *least ? low[lane] : *least;
        *greatest = high[lane] > *greatest ? high[lane] : *greatest;
    }
    return found != 0;
}

// The sum of up to 64 values; of 64-bit values in halves, so that nothing overflows.
#define SUM(NAME, T)                                                                      \
    INLINE int64_t NAME##_word(const T *values, size_t n, uint64_t bits) {                \
        int64_t sum = 0;                                                                  \
        if (bits == ~0ull) {                                                              \
            for (size_t i = 0; i < 64; i++) {                                             \
                sum += values[i];                                                         \
            }                                                                             \
            return sum;                                                                   \
        }                                                                                 \
        for (size_t i = 0; i < n; i++) {                                                  \
            sum += (int64_t)values[i] & -(int64_t)(bits >> i & 1);                        \
        }                                                                                 \
        return sum;                                                                       \
    }                                                                                     \
    INLINE int64_t NAME(const T *values, size_t count, const uint64_t *mask) {            \
        int64_t sum = 0;                                                                  \
        for (size_t row = 0; row < count; row += 64) {                                    \
            uint64_t bits = mask[row / 64];                                               \
            size_t n = count - row < 64 ? count - row : 64;                               \
            sum += bits == 0 ? 0 : NAME##_word(values + row, n, bits);                    \
        }                                                                                 \
        return sum;                                                                       \
    }

SUM(sum8, int8_t)
SUM(sum16, int16_t)
SUM(sum32, int32_t)

INLINE __int128 sum64(const int64_t *values, size_t count, const uint64_t *mask) {
    int64_t high = 0;
    uint64_t low = 0;
    for (size_t row = 0; row < count; row += 64) {
        uint64_t bits = mask[row / 64];
        size_t n = count - row < 64 ? count - row : 64;
        if (bits == ~0ull) {
            for (size_t i = 0; i < 64; i++) {
                high += values[row + i] >> 32;
                low += (uint32_t)values[row + i];
            }
        } else if (bits != 0) {
            for (size_t i = 0; i < n; i++) {
                int64_t value = values[row + i] & -(int64_t)(bits >> i & 1);
                high += value >> 32;
                low += (uint32_t)value;
            }
        }
    }
    return (__int128)high * ((__int128)1 << 32) + low;
}

INLINE __int128 sum_ints(const void *values, size_t count, int log2_width, const uint64_t *mask) {
    switch (log2_width) {
        case 0: return sum8(values, count, mask);
        case 1: return sum16(values, count, mask);
        case 2: return sum32(values, count, mask);
        default: return sum64(values, count, mask);
    }
}

#define BOUNDS(NAME, T)                                                                     \
    INLINE bool NAME(const T *values, size_t count, const uint64_t *mask, int64_t *least,   \
                     int64_t *greatest) {                                                   \
        bool found = false;                                                                 \
        T low = (T)((1ull << (8 * sizeof(T) - 1)) - 1);                                     \
        T high = (T)(1ull << (8 * sizeof(T) - 1));                                          \
        for (size_t row = 0; row < count; row += 64) {                                      \
            uint64_t bits = mask[row / 64];                                                 \
            found |= bits != 0;                                                             \
            if (bits == ~0ull) {                                                            \
                for (size_t i = 0; i < 64; i++) {                                           \
                    T value = values[row + i];                                              \
                    low = value < low ? value : low;                                        \
                    high = value > high ? value : high;                                     \
                }                                                                           \
                continue;                                                                   \
            }                                                                               \
            for (; bits != 0; bits &= bits - 1) {                                           \
                T value = values[row + (size_t)__builtin_ctzll(bits)];                      \
                low = value < low ? value : low;                                            \
                high = value > high ? value : high;                                         \
            }                                                                               \
        }                                                                                   \
        *least = low;                                                                       \
        *greatest = high;                                                                   \
        return found;                                                                       \
    }

BOUNDS(bounds8, int8_t)
BOUNDS(bounds16, int16_t)
BOUNDS(bounds32, int32_t)
BOUNDS(bounds64, int64_t)

INLINE bool bounds_ints(const void *values, size_t count, int log2_width, const uint64_t *mask,
                        int64_t *least, int64_t *greatest) {
    switch (log2_width) {
        case 0: return bounds8(values, count, mask, least, greatest);
        case 1: return bounds16(values, count, mask, least, greatest);
        case 2: return bounds32(values, count, mask, least, greatest);
        default: return bounds64(values, count, mask, least, greatest);
    }
}

#if HAS_AVX2

AVX2 static double wide_sum_doubles(const double *values, size_t count, const uint64_t *mask) {
    return sum_doubles(values, count, mask);
}

AVX2 static bool wide_bounds_doubles(const double *values, size_t count, const uint64_t *mask,
                                     double *least, double *greatest) {
    return bounds_doubles(values, count, mask, least, greatest);
}

AVX2 static __int128 wide_sum_ints(const void *values, size_t count, int log2_width,
                                   const uint64_t *mask) {
    return sum_ints(values, count, log2_width, mask);
}

AVX2 static bool wide_bounds_ints(const void *values, size_t count, int log2_width,
                                  const uint64_t *mask, int64_t *least, int64_t *greatest) {
    return bounds_ints(values, count, log2_width, mask, least, greatest);
}

#define IF_WIDE(RETURN_WIDE)           \
    if (cregnum_kernels_are_wide()) {  \
        RETURN_WIDE;                   \
    }
#else
#define IF_WIDE(RETURN_WIDE)
#endif

double cregnum_sum_doubles(const void *values, size_t count, const uint64_t *mask) {
    IF_WIDE(return wide_sum_doubles(values, count, mask))
    return sum_doubles(values, count, mask);
}

bool cregnum_bounds_doubles(const void *values, size_t count, const uint64_t *mask, double *least,
                            double *greatest) {
    IF_WIDE(return wide_bounds_doubles(values, count, mask, least, greatest))
    return bounds_doubles(values, count, mask, least, greatest);
}

static __int128 sum_of_ints(const void *values, size_t count, int log2_width,
                            const uint64_t *mask) {
    IF_WIDE(return wide_sum_ints(values, count, log2_width, mask))
    return sum_ints(values, count, log2_width, mask);
}

void cregnum_sum_ints(const void *values, size_t count, int log2_width, const uint64_t *mask,
                      uint64_t *low, int64_t *high) {
    __int128 sum = sum_of_ints(values, count, log2_width, mask);
    *low = (uint64_t)sum;
    *high = (int64_t)(sum >> 64);
}

bool cregnum_bounds_ints(const void *values, size_t count, int log2_width, const uint64_t *mask,
                         int64_t *least, int64_t *greatest) {
    IF_WIDE(return wide_bounds_ints(values, count, log2_width, mask, least, greatest))
    return bounds_ints(values, count, log2_width, mask, least, greatest);
}
