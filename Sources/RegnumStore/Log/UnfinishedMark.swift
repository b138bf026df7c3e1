/// A mark in a directory that a realm is being created there from a seed, or removed.
/// `Docs/FORMAT.md` specifies the bytes.
///
/// A mark counts only if it is consistent with the other files. A stray one in the directory
/// of a complete realm is ignored.
struct UnfinishedMark: Equatable, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case copy = "unfinished-copy"
        case removal = "unfinished-removal"
    }

    var kind: Kind
    /// The realm's identifier, or zeros if it couldn't be read.
    var realmID: Identity128
    /// The lowest segment before a removal began, which is removed first; `nil` if there was none.
    var firstSegment: UInt64?

    static let names = Set(Kind.allCases.map(\.rawValue))
    private static let magic: UInt64 = 0x314B_524D_4E47_4552  // "REGNMRK1"
    private static let byteCount = 40

    func encoded() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        Bytes.store(Self.magic, in: &bytes, at: 0)
        Bytes.store(realmID, in: &bytes, at: 8)
        Bytes.store(firstSegment ?? .max, in: &bytes, at: 24)
        Bytes.store(UInt32(kind == .copy ? 1 : 2), in: &bytes, at: 32)
        Bytes.seal(&bytes, at: 36)
        return bytes
    }

    /// Decodes a mark; `nil` if the bytes aren't a mark of that kind.
    init?(_ bytes: [UInt8], _ kind: Kind) {
        guard bytes.count == Self.byteCount,
            Bytes.load(UInt64.self, from: bytes, at: 0) == Self.magic,
            Bytes.load(UInt32.self, from: bytes, at: 32) == (kind == .copy ? 1 : 2),
            Bytes.isSealed(bytes, at: 36)
        else { return nil }
        self.kind = kind
        realmID = Bytes.loadIdentity(from: bytes, at: 8)
        let first = Bytes.load(UInt64.self, from: bytes, at: 24)
        firstSegment = first == .max ? nil : first
    }

    init(_ kind: Kind, _ realmID: Identity128, firstSegment: UInt64? = nil) {
        self.kind = kind
        self.realmID = realmID
        self.firstSegment = firstSegment
    }

    /// Reads the directory's mark of the given kind. Returns `nil` if it is missing, invalid, or
    /// not readable by this process. Throws `ioFailed` if it may be readable later.
    init?(_ kind: Kind, in directory: any RealmDirectory) throws(StoreError) {
        do throws(StoreError) {
            let file = try directory.open(kind.rawValue)
            guard try file.size() == UInt64(Self.byteCount) else { return nil }
            self.init(try file.read(at: 0, count: Self.byteCount), kind)
        } catch {
            if error.code == .ioFailed { throw error }
            return nil
        }
    }

    /// Creates the mark for the start of a removal.
    ///
    /// - Parameter page: the control page, if there is one. It tells which realm it is if no header
    ///   of a segment does.
    init(removalOf names: [String], in directory: any RealmDirectory, _ page: ControlPage?) {
        let segments = SegmentHeader.numbers(names)
        let realmIDs = segments.reversed().lazy.compactMap { number in
            try? LogSegment.realmID(directory, number)
        }
        self.init(
            .removal, realmIDs.first ?? page?.realmID ?? Identity128(high: 0, low: 0),
            firstSegment: segments.first)
    }

    /// Writes the mark to the directory durably, replacing any existing one.
    func write(_ fileSystem: any FileSystem, _ directory: any RealmDirectory) throws(StoreError) {
        try directory.replaceFile(
            kind.rawValue, with: encoded(), temporary: TemporaryName.random(fileSystem))
    }

    /// Returns whether the directory has an incomplete realm: there is a mark, and the other files
    /// are consistent with it.
    ///
    /// A copy's log is renamed into place when everything else is durable, and a removal starts
    /// with the lowest segment. If that exists, the realm is complete.
    ///
    /// Throws `ioFailed` if the mark or the last segment can't be read now.
    ///
    /// - Parameter page: the control page, if there is one.
    static func isUnfinished(
        _ directory: any RealmDirectory, _ names: [String], _ page: ControlPage?
    ) throws(StoreError) -> Bool {
        guard names.contains(where: Self.names.contains) else { return false }
        let segments = names.compactMap(SegmentHeader.parse)
        if segments.isEmpty, (page?.version ?? 0) == 0,
            try UnfinishedMark(.copy, in: directory) != nil
        {
            return true
        }
        guard let mark = try UnfinishedMark(.removal, in: directory) else { return false }
        guard let last = segments.map(\.number).max() else {
            return page.map { $0.realmID == mark.realmID || $0.version == 0 } ?? true
        }
        guard let first = mark.firstSegment,
            !segments.contains(where: { $0.generation == 0 && $0.number == first })
        else { return false }
        do throws(StoreError) {
            return try LogSegment.realmID(directory, last) == mark.realmID
        } catch {
            if error.code == .ioFailed { throw error }
            return false
        }
    }
}
