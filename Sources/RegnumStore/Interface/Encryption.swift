/// A cipher with one key, which also authenticates: AES-256-GCM, or a stand-in in tests.
package protocol Cipher: Sendable {
    /// Returns the encrypted bytes, as many as `bytes`, and the tag, which has
    /// `EncryptionKey.tagByteCount` bytes.
    ///
    /// - Parameters:
    ///   - nonce: `EncryptionKey.nonceByteCount` bytes, never used with this key for other content.
    ///   - data: what isn't encrypted, but must be the same to decrypt the bytes.
    func seal(
        _ bytes: UnsafeRawBufferPointer, nonce: [UInt8], authenticating data: [UInt8]
    ) -> [UInt8]
    /// Returns what `seal` was given, or `nil` if key, nonce, data or bytes are others.
    func open(
        _ sealed: UnsafeRawBufferPointer, nonce: [UInt8], authenticating data: [UInt8]
    ) -> [UInt8]?
}

/// An implementation of ciphers.
package protocol CipherSuite: Sendable {
    /// Returns the cipher that encrypts the keys of files, from the key of a configuration. The
    /// cipher's key is derived from it.
    func wrappingCipher(_ key: [UInt8]) -> any Cipher
    /// Returns the cipher of a file, whose key has `EncryptionKey.fileKeyByteCount` bytes.
    func fileCipher(_ key: [UInt8]) -> any Cipher
}

/// The key of an encrypted realm, as its configuration has it.
package struct EncryptionKey: Sendable, Hashable {
    package static let nonceByteCount = 12
    package static let tagByteCount = 16
    package static let fileKeyByteCount = 32
    /// The bytes that a block has in addition to its content: the nonce before it, and the tag
    /// after it.
    package static let blockOverheadByteCount = nonceByteCount + tagByteCount

    private let bytes: [UInt8]
    let suite: any CipherSuite
    /// Encrypts the keys in the headers of files.
    let wrapping: any Cipher
    /// Those of the keys that the realm had before. Files that have one of them can be read, but
    /// no new file gets it.
    let formerWrappings: [any Cipher]
    /// All of these, the newest first.
    var wrappings: [any Cipher] { [wrapping] + formerWrappings }
    private let former: [EncryptionKey]

    /// - Parameter former: the keys that the realm had before.
    package init(_ bytes: [UInt8], _ suite: any CipherSuite, former: [EncryptionKey] = []) {
        self.bytes = bytes
        self.suite = suite
        self.former = former
        wrapping = suite.wrappingCipher(bytes)
        formerWrappings = former.map(\.wrapping)
    }

    /// The same key without former ones.
    var alone: EncryptionKey { EncryptionKey(bytes, suite) }

    package static func == (a: EncryptionKey, b: EncryptionKey) -> Bool {
        a.bytes == b.bytes && a.former == b.former
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension EncryptionKey: CustomReflectable {
    /// Nothing, so that printing a value that contains the key doesn't print the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
