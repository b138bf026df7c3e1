// CRC32C: the processor's instruction if available, otherwise a table of 8 x 256 entries ("slicing
// by 8", Kounavis and Berry 2005) that is filled at process start.
#include "CRegnum.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

static uint32_t table[8][256];

// Runs before any other code of the process, so the table is constant afterwards.
__attribute__((constructor)) static void make_table(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ ((crc & 1) ? 0x82F63B78u : 0);
        }
        table[0][i] = crc;
    }
    for (uint32_t i = 0; i < 256; i++) {
        for (int slice = 1; slice < 8; slice++) {
            uint32_t previous = table[slice - 1][i];
            table[slice][i] = (previous >> 8) ^ table[0][previous & 0xFF];
        }
    }
}

uint32_t cregnum_crc32c_table(uint32_t crc, const void *bytes, size_t n) {
    const uint8_t *p = bytes;
    crc = ~crc;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; n >= 8; p += 8, n -= 8) {
        uint32_t low, high;
        memcpy(&low, p, 4);
        memcpy(&high, p + 4, 4);
        low ^= crc;
        crc = table[7][low & 0xFF] ^ table[6][(low >> 8) & 0xFF] ^ table[5][(low >> 16) & 0xFF] ^
              table[4][low >> 24] ^ table[3][high & 0xFF] ^ table[2][(high >> 8) & 0xFF] ^
              table[1][(high >> 16) & 0xFF] ^ table[0][high >> 24];
    }
#endif
    for (; n > 0; p++, n--) {
        crc = (crc >> 8) ^ table[0][(crc ^ *p) & 0xFF];
    }
    return ~crc;
}

#if defined(__x86_64__)

__attribute__((target("sse4.2"))) static uint32_t by_hardware(
    uint32_t crc, const void *bytes, size_t n) {
    const uint8_t *p = bytes;
    uint64_t wide = (uint32_t)~crc;
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    uint32_t narrow = (uint32_t)wide;
    for (; n > 0; p++, n--) {
        narrow = __builtin_ia32_crc32qi(narrow, *p);
    }
    return ~narrow;
}

// The instruction has a latency of 3 cycles and a throughput of 1: three parts are computed in
// parallel, then combined by carry-less multiplication (Gopal et al., "Fast CRC Computation for
// iSCSI Polynomial Using CRC32 Instruction", Intel 2011). A factor is x^(8 * bytes - 33) mod P,
// where `bytes` is the distance of its part from the end of the three.
#define PART(BYTES, ONE, TWO)                                                          \
    for (; n >= 3 * BYTES; p += 3 * BYTES, n -= 3 * BYTES) {                           \
        uint64_t b = 0, c = 0;                                                         \
        for (size_t i = 0; i < BYTES; i += 8) {                                        \
            uint64_t words[3];                                                         \
            memcpy(&words[0], p + i, 8);                                               \
            memcpy(&words[1], p + BYTES + i, 8);                                       \
            memcpy(&words[2], p + 2 * BYTES + i, 8);                                   \
            wide = __builtin_ia32_crc32di(wide, words[0]);                             \
            b = __builtin_ia32_crc32di(b, words[1]);                                   \
            c = __builtin_ia32_crc32di(c, words[2]);                                   \
        }                                                                              \
        __m128i sum = _mm_xor_si128(                                                   \
            _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)wide),                   \
                                 _mm_cvtsi64_si128(TWO), 0),                           \
            _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)b),                      \
                                 _mm_cvtsi64_si128(ONE), 0));                          \
        wide = __builtin_ia32_crc32di(0, (uint64_t)_mm_cvtsi128_si64(sum)) ^ c;        \
    }

__attribute__((target("sse4.2,pclmul"))) static uint32_t by_three(
    uint32_t crc, const void *bytes, size_t n) {
    const uint8_t *p = bytes;
    uint64_t wide = (uint32_t)~crc;
    PART(1024, 0x170076fa, 0xa51b6135)
    PART(128, 0x0d3b6092, 0xb9e02b86)
    return by_hardware(~(uint32_t)wide, p, n);
}

bool cregnum_crc32c_is_hardware(void) { return __builtin_cpu_supports("sse4.2"); }

#elif defined(__aarch64__)

__attribute__((target("crc"))) static uint32_t by_hardware(
    uint32_t crc, const void *bytes, size_t n) {
    const uint8_t *p = bytes;
    crc = ~crc;
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        crc = __builtin_arm_crc32cd(crc, word);
    }
    for (; n > 0; p++, n--) {
        crc = __builtin_arm_crc32cb(crc, *p);
    }
    return ~crc;
}

bool cregnum_crc32c_is_hardware(void) {
#if defined(__linux__)
    return (getauxval(AT_HWCAP) & (1ul << 7)) != 0;  // HWCAP_CRC32
#else
    return true;
#endif
}

#else

#define by_hardware cregnum_crc32c_table
bool cregnum_crc32c_is_hardware(void) { return false; }

#endif

uint32_t cregnum_crc32c(uint32_t crc, const void *bytes, size_t n) {
#if defined(__x86_64__)
    if (n >= 384 && __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul")) {
        return by_three(crc, bytes, n);
    }
#endif
    if (cregnum_crc32c_is_hardware()) {
        return by_hardware(crc, bytes, n);
    }
    return cregnum_crc32c_table(crc, bytes, n);
}
