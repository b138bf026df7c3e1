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
}

/// The file of a realm that contains the migration mark. Used by the holder of the writer lock, and
/// read by a process that opens the realm alone.
package struct MigrationMarkFile: Sendable {
    let file: SealedFile

    init(
        _ fileSystem: any FileSystem, _ directory: any RealmDirectory, realmID: Identity128,
        key: EncryptionKey?
    ) {
        file = SealedFile(
            name: MigrationMark.fileName, magic: 0x474D_4752,  // "RGMG"
            fileSystem: fileSystem, directory: directory, realmID: realmID, cipher: key?.wrapping,
            formerCiphers: key?.formerWrappings ?? [])
    }

    /// Returns the mark; `nil` if it is missing or damaged.
    ///
    /// Throws the errors of the file system if it can't be read.
    package func read() throws(StoreError) -> MigrationMark? {
        guard let opened = try ifFound(file.directory.open(file.name)) else { return nil }
        let size = try opened.size()
        guard size <= Limits.maximumMigrationMarkByteCount,
            let (words, content) = file.decode(try opened.read(at: 0, count: Int(size))),
            words[2] == UInt64(content.count)
        else { return nil }
        return MigrationMark(version: words[0], file: words[1], content: Array(content))
    }

    /// Replaces the mark durably and atomically.
    ///
    /// Throws `diskFull`, `ioFailed`, and `invalidInput` for a mark that couldn't be read back; the
    /// previous mark then remains.
    package func write(_ mark: MigrationMark) throws(StoreError) {
        let byteCount =
            SealedFile.overheadByteCount + mark.content.count
            + (file.cipher == nil ? 0 : EncryptionKey.blockOverheadByteCount)
        guard byteCount <= Limits.maximumMigrationMarkByteCount else {
            throw StoreError(
                .invalidInput,
                "The progress of the migration takes \(byteCount) bytes, more than "
                    + "\(Limits.maximumMigrationMarkByteCount): it creates or deletes too many "
                    + "objects outside enumerateObjects to be resumable.")
        }
        try file.write([mark.version, mark.file, UInt64(mark.content.count)], mark.content)
    }

    /// Removes the mark, if there is one. If a crash restores it, it is of an older version and
    /// ignored.
    package func remove() {
        let directory = file.directory
        guard (try? directory.names().contains(file.name)) == true else { return }
        try? directory.unlink(file.name)
        try? directory.sync()
    }
}

extension RealmLog {
    /// The migration mark of the realm.
    package var migrationMark: MigrationMarkFile {
        MigrationMarkFile(fileSystem, directory, realmID: realmID, key: options.key)
    }
}
