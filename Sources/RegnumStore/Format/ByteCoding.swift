internal import CRegnum

/// Little-endian loads and stores in byte arrays. The caller ensures that they are in bounds.
enum Bytes {
    static func store<T: FixedWidthInteger>(_ value: T, in bytes: inout [UInt8], at offset: Int) {
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
        }
    }

    static func load<T: FixedWidthInteger>(
        _ type: T.Type, from bytes: UnsafeRawBufferPointer, at offset: Int
    ) -> T {
        T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
    }

    static func load<T: FixedWidthInteger>(_ type: T.Type, from bytes: [UInt8], at offset: Int)
        -> T
    {
        bytes.withUnsafeBytes { load(type, from: $0, at: offset) }
    }

    static func store(_ identity: Identity128, in bytes: inout [UInt8], at offset: Int) {
        store(identity.high, in: &bytes, at: offset)
        store(identity.low, in: &bytes, at: offset + 8)
    }

    static func loadIdentity(from bytes: [UInt8], at offset: Int) -> Identity128 {
        Identity128(
            high: load(UInt64.self, from: bytes, at: offset),
            low: load(UInt64.self, from: bytes, at: offset + 8))
    }

    /// Stores the checksum of all bytes before `offset` at `offset`.
    static func seal(_ bytes: inout [UInt8], at offset: Int) {
        store(bytes[..<offset].withUnsafeBytes { Checksum.crc32c($0) }, in: &bytes, at: offset)
    }

    /// Whether the checksum at `offset` is that of all bytes before it.
    static func isSealed(_ bytes: [UInt8], at offset: Int) -> Bool {
        load(UInt32.self, from: bytes, at: offset)
            == bytes[..<offset].withUnsafeBytes { Checksum.crc32c($0) }
    }

    /// Returns the number of bytes up to and including the last nonzero one; 0 if all are zero.
    static func countUpToLastNonZero(_ bytes: UnsafeRawBufferPointer) -> Int {
        var count = bytes.count
        while count >= 64 {
            var all: UInt64 = 0
            // not `stride`, which looks its type up each time in builds without optimization
            var offset = count - 64
            while offset < count {
                all |= bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                offset += 8
            }
            if all != 0 { break }
            count -= 64
        }
        while count > 0, bytes[count - 1] == 0 { count -= 1 }
        return count
    }
}

/// CRC32C (Castagnoli, RFC 3720 appendix B.4), which detects accidental damage to the bytes of a
/// realm. It doesn't protect against an attacker.
package enum Checksum {
    /// Returns the checksum of `bytes`, bound to their location: the same bytes at another offset,
    /// or in a segment with another salt, have a different checksum.
    package static func crc32c(
        _ bytes: UnsafeRawBufferPointer, salt: UInt64, offset: UInt64
    ) -> UInt32 {
        var place = (salt.littleEndian, offset.littleEndian)
        let seed = withUnsafeBytes(of: &place) { cregnum_crc32c(0, $0.baseAddress, $0.count) }
        return cregnum_crc32c(seed, bytes.baseAddress, bytes.count)
    }

    /// Returns the checksum of `bytes` alone.
    package static func crc32c(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        cregnum_crc32c(0, bytes.baseAddress, bytes.count)
    }
}

extension String {
    /// A hash of the UTF-8 bytes that is the same in every process: 64-bit FNV-1a (Fowler, Noll,
    /// Vo).
    package var fnv1a: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }
}
