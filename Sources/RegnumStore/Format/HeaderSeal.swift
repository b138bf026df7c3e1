/// The encrypted part of the header of a segment or nodes file: secrets, which end with the key of
/// the file's blocks, then a nonce and a tag, which authenticates the rest of the header too.
/// `Docs/FORMAT.md` specifies the layout.
struct HeaderSeal {
    /// The range of the secrets in the header.
    let secrets: Range<Int>

    /// The incompatible feature bit of encrypted files.
    static let feature: UInt32 = 1
    static let featureOffset = 20
    private static let checksumOffset = 4092

    private var tagStart: Int { secrets.upperBound + EncryptionKey.nonceByteCount }
    private var end: Int { tagStart + EncryptionKey.tagByteCount }
    private var keyStart: Int { secrets.upperBound - EncryptionKey.fileKeyByteCount }

    /// Stores the key of the file, sets the feature bit and encrypts the secrets. The header is
    /// otherwise complete, except for its checksum.
    func close(
        _ bytes: inout [UInt8], fileKey: [UInt8], _ wrapping: any Cipher,
        _ fileSystem: any FileSystem
    ) {
        Bytes.store(Self.feature, in: &bytes, at: Self.featureOffset)
        bytes.replaceSubrange(keyStart..<secrets.upperBound, with: fileKey)
        let nonce = fileSystem.randomBytes(EncryptionKey.nonceByteCount)
        let sealed = bytes[secrets].withUnsafeBytes {
            wrapping.seal($0, nonce: nonce, authenticating: rest(of: bytes))
        }
        bytes.replaceSubrange(secrets, with: sealed[..<secrets.count])
        bytes.replaceSubrange(secrets.upperBound..<tagStart, with: nonce)
        bytes.replaceSubrange(tagStart..<end, with: sealed[secrets.count...])
    }

    /// Decrypts the secrets in place, with the key or one of the former ones. Returns the key of
    /// the file, and which one has encrypted it (`SegmentHeader.keyAge`). Throws `wrongKey` if none
    /// has, or if the header was changed by something that doesn't have the key.
    func open(
        _ bytes: inout [UInt8], _ key: EncryptionKey, path: String
    ) throws(StoreError) -> (fileKey: [UInt8], age: Int) {
        let sealed = Array(bytes[secrets] + bytes[tagStart..<end])
        let nonce = Array(bytes[secrets.upperBound..<tagStart])
        for (age, wrapping) in key.wrappings.enumerated() {
            let opened = sealed.withUnsafeBytes {
                wrapping.open($0, nonce: nonce, authenticating: rest(of: bytes))
            }
            guard let opened, opened.count == secrets.count else { continue }
            bytes.replaceSubrange(secrets, with: opened)
            return (Array(bytes[keyStart..<secrets.upperBound]), age)
        }
        throw StoreError(
            .wrongKey,
            "\(path) is encrypted with a key that wasn't given: the realm has another one, or had "
                + "another one when the file was written (Configuration.formerEncryptionKeys). Or "
                + "its header was changed by somebody who doesn't have the key.", path: path)
    }

    /// Returns what isn't encrypted.
    private func rest(of bytes: [UInt8]) -> [UInt8] {
        Array(bytes[..<secrets.lowerBound] + bytes[end..<Self.checksumOffset])
    }
}
