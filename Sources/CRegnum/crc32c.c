// CRC32C: the processor's instruction where there is one, else a table of 8 x 256 entries
// ("slicing by 8", Kounavis and Berry 2005) that is filled when the process starts.
#include "CRegnum.h"

#include <string.h>

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

static uint32_t table[8][256];

// Runs before any other code of the process, so that the table is constant afterwards.
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
    if (cregnum_crc32c_is_hardware()) {
        return by_hardware(crc, bytes, n);
    }
    return cregnum_crc32c_table(crc, bytes, n);
}
