/// A small file of a realm that is replaced as a whole: u32 magic, u32 format, the realm's
/// identifier, three u64, any number of bytes, which may be encrypted, and the checksum of
/// everything before it.
struct SealedFile: Sendable {
    let name: String
    let magic: UInt32
    let fileSystem: any FileSystem
    let directory: any RealmDirectory
    let realmID: Identity128
    /// Encrypts the content, but not the words; `nil` if it isn't encrypted.
    var cipher: (any Cipher)?
    /// Ciphers with which the content may have been encrypted before.
    var formerCiphers: [any Cipher] = []

    typealias Content = (words: [UInt64], bytes: ArraySlice<UInt8>)

    private static let format: UInt32 = 1
    private static let headerByteCount = 48
    static let overheadByteCount = headerByteCount + 4

    /// Decodes the file's bytes; `nil` if they belong to another realm, are damaged or have another
    /// format.
    func decode(_ bytes: [UInt8]) -> Content? {
        let end = bytes.count - 4
        guard end >= Self.headerByteCount,
            Bytes.load(UInt32.self, from: bytes, at: 0) == magic,
            Bytes.load(UInt32.self, from: bytes, at: 4) == Self.format,
            Bytes.loadIdentity(from: bytes, at: 8) == realmID, Bytes.isSealed(bytes, at: end)
        else { return nil }
        let words = [24, 32, 40].map { Bytes.load(UInt64.self, from: bytes, at: $0) }
        let stored = bytes[Self.headerByteCount..<end]
        guard let cipher else { return (words, stored) }
        for cipher in [cipher] + formerCiphers {
            if let content = Self.content(of: bytes, cipher) { return (words, content[...]) }
        }
        return nil
    }

    /// Returns the decrypted content of a file; `nil` if it isn't encrypted with that cipher.
    static func content(of bytes: [UInt8], _ cipher: any Cipher) -> [UInt8]? {
        guard bytes.count >= overheadByteCount else { return nil }
        return bytes[headerByteCount..<bytes.count - 4].withUnsafeBytes {
            cipher.content(of: $0, at: Array(bytes[..<headerByteCount]))
        }
    }

    /// Replaces the file durably and atomically. Throws `diskFull` and the errors of the file
    /// system; the previous file then remains.
    func write(_ words: [UInt64], _ content: [UInt8] = []) throws(StoreError) {
        var bytes = [UInt8](repeating: 0, count: Self.headerByteCount)
        Bytes.store(magic, in: &bytes, at: 0)
        Bytes.store(Self.format, in: &bytes, at: 4)
        Bytes.store(realmID, in: &bytes, at: 8)
        for (index, word) in words.enumerated() {
            Bytes.store(word, in: &bytes, at: 24 + 8 * index)
        }
        var stored = content
        if let cipher {
            stored = content.withUnsafeBytes { cipher.block($0, at: bytes, fileSystem) }
        }
        bytes += stored + [0, 0, 0, 0]
        Bytes.seal(&bytes, at: bytes.count - 4)
        try directory.replaceFile(name, with: bytes, temporary: TemporaryName.random(fileSystem))
    }
}
