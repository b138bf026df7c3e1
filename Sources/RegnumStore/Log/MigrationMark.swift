/// The saved progress of an unfinished migration. Absent if no migration is in progress.
/// `Docs/FORMAT.md` specifies the bytes.
package struct MigrationMark: Equatable, Sendable {
    /// The version that is being migrated.
    package var version: UInt64
    /// The nodes file with the state so far, which no log record refers to.
    package var file: UInt64
    /// The engine's state for resuming the migration.
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

    /// Decodes a mark; `nil` if the bytes belong to another realm, are damaged or have another
    /// format.
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

/// The file of a realm that contains the migration mark. Used by the holder of the writer lock, and
/// read by a process that opens the realm alone.
package struct MigrationMarkFile: Sendable {
    let fileSystem: any FileSystem
    let directory: any RealmDirectory
    let realmID: Identity128

    /// Returns the mark; `nil` if it is missing or damaged.
    ///
    /// Throws the errors of the file system if it can't be read.
    package func read() throws(StoreError) -> MigrationMark? {
        let file: any StoreFile
        do {
            file = try directory.open(MigrationMark.fileName)
        } catch {
            guard error.code == .fileNotFound else { throw error }
            return nil
        }
        let size = try file.size()
        guard size <= Limits.migrationMarkByteCountMax else { return nil }
        return MigrationMark(try file.read(at: 0, count: Int(size)), realmID)
    }

    /// Replaces the mark durably and atomically.
    ///
    /// Throws `diskFull`, `ioFailed`, and `invalidInput` for a mark that couldn't be read back; the
    /// previous mark then remains.
    package func write(_ mark: MigrationMark) throws(StoreError) {
        let bytes = mark.encoded(realmID)
        guard bytes.count <= Limits.migrationMarkByteCountMax else {
            throw StoreError(
                .invalidInput,
                "The progress of the migration takes \(bytes.count) bytes, more than "
                    + "\(Limits.migrationMarkByteCountMax): it creates or deletes too many objects "
                    + "outside enumerateObjects to be resumable.")
        }
        try directory.replaceFile(
            MigrationMark.fileName, with: bytes, temporary: TemporaryName.random(fileSystem))
    }

    /// Removes the mark, if there is one. If a crash restores it, it is of an older version and
    /// ignored.
    package func remove() {
        guard (try? directory.names().contains(MigrationMark.fileName)) == true else { return }
        try? directory.unlink(MigrationMark.fileName)
        try? directory.sync()
    }
}

extension RealmLog {
    /// The migration mark of the realm.
    package var migrationMark: MigrationMarkFile {
        MigrationMarkFile(fileSystem: fileSystem, directory: directory, realmID: realmID)
    }
}
