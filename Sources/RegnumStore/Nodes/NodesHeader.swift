/// The first 4,096 bytes of a nodes file, which never change once the file is in place.
/// `Docs/FORMAT.md` specifies the layout.
struct NodesHeader: Sendable, Equatable {
    static let byteCount: UInt64 = 4096
    static let magic: [UInt8] = [0x89, 0x52, 0x4E, 0x44, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let checksumOffset = 4092
    private static let seal = HeaderSeal(secrets: 48..<48 + EncryptionKey.fileKeyByteCount)

    var realmID: Identity128
    var number: UInt64

    /// - Parameter fileKey: the key of the file if the realm is encrypted.
    func encoded(
        _ options: StoreOptions, _ fileSystem: any FileSystem, fileKey: [UInt8]?
    ) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(Self.byteCount))
        bytes.replaceSubrange(0..<8, with: Self.magic)
        Bytes.store(SegmentHeader.majorVersion, in: &bytes, at: 8)
        Bytes.store(SegmentHeader.minorVersion, in: &bytes, at: 10)
        // 12 compatible, 16 read-only compatible features: zero so far; 20 incompatible features
        Bytes.store(realmID, in: &bytes, at: 24)
        Bytes.store(number, in: &bytes, at: 40)
        if let fileKey, let key = options.key {
            Self.seal.close(&bytes, fileKey: fileKey, key.wrapping, fileSystem)
        }
        Bytes.seal(&bytes, at: Self.checksumOffset)
        return bytes
    }

    /// Checks that `bytes` are the header of nodes file `number` of the realm. Throws
    /// `unsupportedFormat` for a newer format, `wrongKey` for a file with a key that isn't among
    /// those of the realm, `invalidDatabase` for anything else. A read-only realm accepts features
    /// that only affect writers.
    ///
    /// Whether the realm is encrypted is known from its log, so if the file isn't as the log is,
    /// the file is damaged.
    ///
    /// - Returns: the key of the file; `nil` if it isn't encrypted.
    static func check(
        _ bytes: [UInt8], realmID: Identity128, number: UInt64, path: String,
        isReadOnly: Bool = false, key: EncryptionKey? = nil
    ) throws(StoreError) -> [UInt8]? {
        guard bytes.count == Int(byteCount), Array(bytes[..<8]) == magic,
            Bytes.isSealed(bytes, at: checksumOffset)
        else {
            throw StoreError(
                .invalidDatabase,
                "\(path) is damaged: it has no valid nodes file header.",
                path: path)
        }
        let major = Bytes.load(UInt16.self, from: bytes, at: 8)
        let features = Bytes.load(UInt32.self, from: bytes, at: HeaderSeal.featureOffset)
        guard major == SegmentHeader.majorVersion,
            isReadOnly || Bytes.load(UInt32.self, from: bytes, at: 16) == 0,
            features & ~HeaderSeal.feature == 0
        else {
            throw StoreError(
                .unsupportedFormat,
                "\(path) has format \(major); this version of Regnum reads format "
                    + "\(SegmentHeader.majorVersion). Use a newer version.", path: path)
        }
        guard Bytes.loadIdentity(from: bytes, at: 24) == realmID,
            Bytes.load(UInt64.self, from: bytes, at: 40) == number
        else {
            throw StoreError(
                .invalidDatabase,
                "\(path) belongs to another realm, or is a nodes file that was renamed.",
                path: path)
        }
        let isEncrypted = features & HeaderSeal.feature != 0
        if key == nil, !isEncrypted { return nil }
        guard let key, isEncrypted else {
            throw StoreError(
                .invalidDatabase,
                "\(path) is damaged: it isn't encrypted as the rest of the realm is.", path: path)
        }
        var bytes = bytes
        return try seal.open(&bytes, key, path: path).fileKey
    }

    /// Returns the identity of the realm to which a nodes file belongs, or `nil` if `bytes` aren't
    /// an intact header.
    static func realmID(_ bytes: [UInt8]) -> Identity128? {
        guard bytes.count == Int(byteCount), Array(bytes[..<8]) == magic,
            Bytes.isSealed(bytes, at: checksumOffset)
        else { return nil }
        return Bytes.loadIdentity(from: bytes, at: 24)
    }

    static func fileName(_ number: UInt64) -> String { "nodes-\(number)" }

    /// Returns the number in a nodes file's name, or `nil` if it isn't one.
    static func parse(fileName: String) -> UInt64? {
        guard fileName.hasPrefix("nodes-"), let number = UInt64(fileName.dropFirst(6)),
            number > 0, Self.fileName(number) == fileName
        else { return nil }
        return number
    }
}
