/// The first 4,096 bytes of a log segment, which never change once the segment is in place.
/// `Docs/FORMAT.md` specifies the layout.
package struct SegmentHeader: Sendable, Equatable {
    package static let byteCount: UInt64 = 4096
    /// Like PNG's signature, detects transfers that strip the eighth bit or convert line endings.
    package static let magic: [UInt8] = [0x89, 0x53, 0x52, 0x4C, 0x0D, 0x0A, 0x1A, 0x0A]
    package static let majorVersion: UInt16 = 1
    package static let minorVersion: UInt16 = 0
    private static let checksumOffset = 4092

    package var realmID: Identity128
    package var generation: UInt64
    package var number: UInt64
    /// The sequence number of the first record in this segment.
    package var firstSequence: UInt64
    /// Mixed into all checksums of the segment's records.
    package var salt: UInt64
    /// The log position of the first byte after the header.
    package var base: LogPosition
    /// The chain value of the last record before this segment.
    package var previousChain: UInt32
    /// Bit 0: created active, by rotation or as the first segment of a realm. Bit 1: `isCopy`.
    package var flags: UInt32 = 1
    /// The checkpoints kept when the segment was created.
    package var checkpoints = KeptCheckpoints()
    private static let checkpointsOffset = 88
    /// The timelines of the versions up to the end of this segment.
    package var timelines: Timelines
    private static let timelinesOffset = 344
    /// The key of the bodies of the segment's records; `nil` if the realm isn't encrypted.
    package var fileKey: [UInt8]?
    private static let seal = HeaderSeal(
        secrets: checkpointsOffset..<checkpointsOffset + KeptCheckpoints.byteCount
            + EncryptionKey.fileKeyByteCount)
    /// The minor version of the format that the segment was created with. A newer library may have
    /// created it.
    private(set) var formatMinor = SegmentHeader.minorVersion
    /// Which key of the realm encrypts `fileKey`: 0 for the newest, otherwise the place among the
    /// former ones, from 1.
    var keyAge = 0
    private static let copyFlag: UInt32 = 2

    /// Whether the realm is a copy to which nothing has been committed. The first commit then
    /// begins a segment with a new timeline.
    package var isCopy: Bool {
        get { flags & Self.copyFlag != 0 }
        set { flags = newValue ? flags | Self.copyFlag : flags & ~Self.copyFlag }
    }

    package init(
        realmID: Identity128, generation: UInt64, number: UInt64, firstSequence: UInt64,
        salt: UInt64, base: LogPosition, previousChain: UInt32
    ) {
        self.realmID = realmID
        self.generation = generation
        self.number = number
        self.firstSequence = firstSequence
        self.salt = salt
        self.base = base
        self.previousChain = previousChain
        timelines = Timelines(realmID)
    }

    /// Returns the header of a segment of a realm that isn't encrypted.
    package func encoded() -> [UInt8] {
        precondition(fileKey == nil, "the header of an encrypted segment has secrets")
        return encoded(nil)
    }

    /// Returns the header, encrypted if the segment is.
    package func encoded(_ options: StoreOptions, _ fileSystem: any FileSystem) -> [UInt8] {
        precondition((fileKey == nil) == (options.key == nil), "a key for an encrypted segment")
        guard let fileKey, let key = options.key else { return encoded(nil) }
        let wrapping = key.wrappings[keyAge]
        return encoded { Self.seal.close(&$0, fileKey: fileKey, wrapping, fileSystem) }
    }

    private func encoded(_ close: ((inout [UInt8]) -> Void)?) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(Self.byteCount))
        bytes.replaceSubrange(0..<8, with: Self.magic)
        Bytes.store(Self.majorVersion, in: &bytes, at: 8)
        Bytes.store(Self.minorVersion, in: &bytes, at: 10)
        // 12 compatible, 16 read-only compatible features: zero so far; 20 incompatible features
        Bytes.store(realmID, in: &bytes, at: 24)
        Bytes.store(generation, in: &bytes, at: 40)
        Bytes.store(number, in: &bytes, at: 48)
        Bytes.store(firstSequence, in: &bytes, at: 56)
        Bytes.store(salt, in: &bytes, at: 64)
        Bytes.store(base, in: &bytes, at: 72)
        Bytes.store(previousChain, in: &bytes, at: 80)
        Bytes.store(flags, in: &bytes, at: 84)
        let kept = checkpoints.encoded()
        bytes.replaceSubrange(
            Self.checkpointsOffset..<Self.checkpointsOffset + kept.count, with: kept)
        // 216: the key of an encrypted segment, up to 276; zeros up to 344
        timelines.store(in: &bytes, at: Self.timelinesOffset, realmID: realmID)
        close?(&bytes)
        Bytes.seal(&bytes, at: Self.checksumOffset)
        return bytes
    }

    /// Decodes a header. Throws `unsupportedFormat` for a newer format, `invalidDatabase` if it is
    /// damaged or not a header; `keyRequired`, `wrongKey` and `notEncrypted`.
    ///
    /// - Parameters:
    ///   - isReadOnly: nothing will be written, so features that only affect writers are accepted.
    ///   - key: the key of the realm; `nil` if it isn't encrypted.
    package init(
        decoding stored: [UInt8], path: String, isReadOnly: Bool = false,
        key: EncryptionKey? = nil
    ) throws(StoreError) {
        var bytes = stored
        guard bytes.count == Int(Self.byteCount), Array(bytes[..<8]) == Self.magic else {
            throw StoreError(
                .invalidDatabase,
                "\(path) has no valid segment header: it is damaged, or belongs to another "
                    + "program. \(StoreError.advice)", path: path)
        }
        guard Bytes.isSealed(bytes, at: Self.checksumOffset) else {
            throw Self.damage(path, "its checksum is wrong")
        }
        let major = Bytes.load(UInt16.self, from: bytes, at: 8)
        formatMinor = Bytes.load(UInt16.self, from: bytes, at: 10)
        let incompatible = Bytes.load(UInt32.self, from: bytes, at: HeaderSeal.featureOffset)
        let readOnlyCompatible = Bytes.load(UInt32.self, from: bytes, at: 16)
        guard major == Self.majorVersion, incompatible & ~HeaderSeal.feature == 0,
            isReadOnly || readOnlyCompatible == 0
        else {
            throw StoreError(
                .unsupportedFormat,
                "\(path) has format \(major) with features \(incompatible)/\(readOnlyCompatible); "
                    + "this version of Regnum reads format \(Self.majorVersion). Use a newer "
                    + "version.",
                path: path)
        }
        if let opened = try Self.open(
            &bytes, isEncrypted: incompatible & HeaderSeal.feature != 0, key, path: path)
        {
            (fileKey, keyAge) = (opened.fileKey, opened.age)
        }
        realmID = Bytes.loadIdentity(from: bytes, at: 24)
        generation = Bytes.load(UInt64.self, from: bytes, at: 40)
        number = Bytes.load(UInt64.self, from: bytes, at: 48)
        firstSequence = Bytes.load(UInt64.self, from: bytes, at: 56)
        salt = Bytes.load(UInt64.self, from: bytes, at: 64)
        base = Bytes.load(UInt64.self, from: bytes, at: 72)
        previousChain = Bytes.load(UInt32.self, from: bytes, at: 80)
        flags = Bytes.load(UInt32.self, from: bytes, at: 84)
        guard
            let kept = KeptCheckpoints(from: bytes, at: Self.checkpointsOffset, before: base)
        else {
            throw Self.damage(path, "it has invalid checkpoint references")
        }
        guard
            let timelines = Timelines(
                from: bytes, at: Self.timelinesOffset, realmID: realmID)
        else {
            throw Self.damage(path, "it has invalid timelines")
        }
        checkpoints = kept
        self.timelines = timelines
    }

    /// Decrypts the secrets of a header, and returns the key of the segment.
    private static func open(
        _ bytes: inout [UInt8], isEncrypted: Bool, _ key: EncryptionKey?, path: String
    ) throws(StoreError) -> (fileKey: [UInt8], age: Int)? {
        guard let key else {
            if !isEncrypted { return nil }
            throw StoreError(
                .keyRequired,
                "\(path) belongs to an encrypted realm, which can only be used with its key.",
                path: path)
        }
        guard isEncrypted else {
            throw StoreError(
                .notEncrypted,
                "A key was given for a realm that isn't encrypted: \(path) isn't. Open it without "
                    + "a key, or write an encrypted copy of it.", path: path)
        }
        return try seal.open(&bytes, key, path: path)
    }

    /// Returns the realm and number in an intact header of this format, without its secrets; `nil`
    /// if `bytes` aren't one.
    static func identify(_ bytes: [UInt8]) -> (realmID: Identity128, number: UInt64)? {
        guard bytes.count == Int(byteCount), Array(bytes[..<8]) == magic,
            Bytes.isSealed(bytes, at: checksumOffset),
            Bytes.load(UInt16.self, from: bytes, at: 8) == majorVersion,
            Bytes.load(UInt32.self, from: bytes, at: HeaderSeal.featureOffset)
                & ~HeaderSeal.feature == 0
        else { return nil }
        return (
            Bytes.loadIdentity(from: bytes, at: 24), Bytes.load(UInt64.self, from: bytes, at: 48)
        )
    }

    /// Whether base and number are in the range in which sums of positions and sizes, and the next
    /// number, can't overflow. Only a forged log leaves it.
    var isInRange: Bool {
        base <= LogPosition(Int64.max) && number <= UInt64(Int64.max)
    }

    /// Returns the error for a damaged header.
    static func damage(_ path: String, _ reason: String) -> StoreError {
        StoreError(
            .invalidDatabase,
            "The header of \(path) is damaged: \(reason). \(StoreError.advice)",
            path: path)
    }

    /// Returns the file name of a segment.
    package static func fileName(generation: UInt64 = 0, number: UInt64) -> String {
        "log-\(generation)-\(number)"
    }

    /// Returns the generation and number in a segment's file name, or `nil` if it isn't one.
    package static func parse(fileName: String) -> (generation: UInt64, number: UInt64)? {
        let parts = fileName.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "log", let generation = UInt64(parts[1]),
            let number = UInt64(parts[2]),
            Self.fileName(generation: generation, number: number) == fileName
        else { return nil }
        return (generation, number)
    }

    /// Returns the numbers of the segments among file names, ascending.
    static func numbers(_ names: [String]) -> [UInt64] {
        names.compactMap(parse).filter { $0.generation == 0 }.map(\.number).sorted()
    }
}
