package import RegnumStore

/// A stand-in for AES-GCM in tests that have no dependency on it. It protects nothing, but whatever
/// is changed or moved is noticed, and content isn't found in files.
package struct FakeCipherSuite: CipherSuite {
    private let nonces: NonceLog?

    /// - Parameter nonces: is told of all nonces.
    package init(_ nonces: NonceLog? = nil) { self.nonces = nonces }

    package func wrappingCipher(_ key: [UInt8]) -> any Cipher {
        FakeCipher([1] + key, nonces)
    }

    package func fileCipher(_ key: [UInt8]) -> any Cipher {
        FakeCipher([2] + key, nonces)
    }
}

extension EncryptionKey {
    /// Returns a key for tests; different ones for different numbers.
    package static func fake(_ number: UInt8 = 1, _ nonces: NonceLog? = nil) -> EncryptionKey {
        EncryptionKey([UInt8](repeating: number, count: 32), FakeCipherSuite(nonces))
    }

    /// Returns a key for tests, with those that the realm had before.
    package static func fake(_ number: UInt8, former: [UInt8]) -> EncryptionKey {
        EncryptionKey(
            [UInt8](repeating: number, count: 32), FakeCipherSuite(),
            former: former.map { .fake($0) })
    }
}

/// The nonces that were used, to find those that one key was used with twice.
package final class NonceLog: Sendable {
    private let used = Guarded<Set<[UInt8]>>([])
    private let repetitions = Guarded(0)

    package init() {}

    package var count: Int { used.withLock { $0.count } }
    package var repetitionCount: Int { repetitions.withLock { $0 } }

    fileprivate func add(_ key: [UInt8], _ nonce: [UInt8]) {
        if !used.withLock({ $0.insert(key + nonce).inserted }) {
            repetitions.withLock { $0 += 1 }
        }
    }
}

private struct FakeCipher: Cipher {
    private let key: [UInt8]
    private let nonces: NonceLog?

    init(_ key: [UInt8], _ nonces: NonceLog?) {
        self.key = key
        self.nonces = nonces
    }

    func seal(
        _ bytes: UnsafeRawBufferPointer, nonce: [UInt8], authenticating data: [UInt8]
    ) -> [UInt8] {
        precondition(nonce.count == EncryptionKey.nonceByteCount, "a nonce of the wrong length")
        nonces?.add(key, nonce)
        let encrypted = combined(bytes, nonce)
        return encrypted + tag(encrypted, nonce, data)
    }

    func open(
        _ sealed: UnsafeRawBufferPointer, nonce: [UInt8], authenticating data: [UInt8]
    ) -> [UInt8]? {
        let count = sealed.count - EncryptionKey.tagByteCount
        guard count >= 0 else { return nil }
        let encrypted = Array(sealed[..<count])
        guard tag(encrypted, nonce, data).elementsEqual(sealed[count...]) else { return nil }
        return encrypted.withUnsafeBytes { combined($0, nonce) }
    }

    /// Returns the bytes, each combined with one of a sequence that key and nonce determine.
    private func combined(_ bytes: UnsafeRawBufferPointer, _ nonce: [UInt8]) -> [UInt8] {
        var state = Self.hash([key, nonce], 1) | 1
        var result = [UInt8](repeating: 0, count: bytes.count)
        var index = 0
        while index < bytes.count {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            result[index] = bytes[index] ^ UInt8(truncatingIfNeeded: state >> 24)
            index += 1
        }
        return result
    }

    private func tag(_ encrypted: [UInt8], _ nonce: [UInt8], _ data: [UInt8]) -> [UInt8] {
        let lengths = [UInt8(truncatingIfNeeded: data.count), UInt8(nonce.count)]
        return (UInt64(2)...3).flatMap { number in
            let hash = Self.hash([key, nonce, lengths, data, encrypted], number)
            return (0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) }
        }
    }

    private static func hash(_ parts: [[UInt8]], _ number: UInt64) -> UInt64 {
        var hash = 0xcbf2_9ce4_8422_2325 &+ number &* 0x9E37_79B9_7F4A_7C15
        for part in parts {
            for byte in part { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        }
        hash ^= hash >> 32
        return hash &* 0xD6E8_FEB8_6659_FD93
    }
}
