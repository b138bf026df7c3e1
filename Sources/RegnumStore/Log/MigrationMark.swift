/// How far a migration has come that is under way in a realm, as its process last told; nothing where
/// none is. `Docs/FORMAT.md` has the bytes.
package struct MigrationMark: Equatable, Sendable {
    /// The version that is migrated.
    package var version: UInt64
    /// The nodes file that has the state so far; no record of the log names it.
    package var file: UInt64
    /// What whoever migrates has to know to go on.
    package var content: [UInt8]

    package init(version: UInt64, file: UInt64, content: [UInt8]) {
        self.version = version
        self.file = file
        self.content = content
    }

    static let fileName = "migration"
    private static let magic: UInt32 = 0x474D_4752  // "RGMG"
    private static let format: UInt32 = 1
    private static let headerByteCount = 48

    func encoded(_ realmID: Identity128) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.headerByteCount)
        Bytes.store(Self.magic, in: &bytes, at: 0)
        Bytes.store(Self.format, in: &bytes, at: 4)
        Bytes.store(realmID.high, in: &bytes, at: 8)
        Bytes.store(realmID.low, in: &bytes, at: 16)
        Bytes.store(version, in: &bytes, at: 24)
        Bytes.store(file, in: &bytes, at: 32)
        Bytes.store(UInt64(content.count), in: &bytes, at: 40)
        bytes += content
        let crc = bytes.withUnsafeBytes { Checksum.crc32c($0) }
        bytes += [0, 0, 0, 0]
        Bytes.store(crc, in: &bytes, at: bytes.count - 4)
        return bytes
    }

    /// The mark, nil if the bytes are none of this realm's, damaged or of another format.
    init?(_ bytes: [UInt8], _ realmID: Identity128) {
        let end = bytes.count - 4
        guard end >= Self.headerByteCount,
            Bytes.load(UInt32.self, from: bytes, at: 0) == Self.magic,
            Bytes.load(UInt32.self, from: bytes, at: 4) == Self.format,
            Bytes.load(UInt64.self, from: bytes, at: 8) == realmID.high,
            Bytes.load(UInt64.self, from: bytes, at: 16) == realmID.low,
            Bytes.load(UInt64.self, from: bytes, at: 40) == UInt64(end - Self.headerByteCount)
        else { return nil }
        let crc = bytes[..<end].withUnsafeBytes { Checksum.crc32c($0) }
        guard Bytes.load(UInt32.self, from: bytes, at: end) == crc else { return nil }
        version = Bytes.load(UInt64.self, from: bytes, at: 24)
        file = Bytes.load(UInt64.self, from: bytes, at: 32)
        content = Array(bytes[Self.headerByteCount..<end])
    }
}

/// The file of a realm that has the mark. Used by the holder of the writer lock, and read by who opens the
/// realm alone.
package struct MigrationMarkFile: Sendable {
    let fileSystem: any FileSystem
    let directory: any RealmDirectory
    let realmID: Identity128
    /// The mark, nil if there is none that can be read.
    package func read() -> MigrationMark? {
        guard let file = try? directory.open(MigrationMark.fileName),
            let size = try? file.size(), size <= Limits.migrationMarkByteCountMax,
            let bytes = try? file.read(at: 0, count: Int(size))
        else { return nil }
        return MigrationMark(bytes, realmID)
    }

    /// Puts the mark in the place of the one before, durably: after a crash one of the two is there.
    ///
    /// Throws `diskFull` and `ioFailed`; then the one before is there.
    package func write(_ mark: MigrationMark) throws(StoreError) {
        try directory.replaceFile(
            MigrationMark.fileName, with: mark.encoded(realmID),
            temporary: RealmLog.temporaryName(fileSystem))
    }

    /// Removes it, if there is one. One that a crash brings back is of an older version, and passed over.
    package func remove() {
        guard (try? directory.names().contains(MigrationMark.fileName)) == true else { return }
        try? directory.unlink(MigrationMark.fileName)
        try? directory.sync()
    }
}

extension RealmLog {
    /// Where migrations of the realm tell how far they have come.
    package var migrationMark: MigrationMarkFile {
        MigrationMarkFile(fileSystem: fileSystem, directory: directory, realmID: realmID)
    }
}
