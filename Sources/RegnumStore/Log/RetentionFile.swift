/// The history retention stored with the realm: a small file, which is absent until a retention is
/// set. `Docs/FORMAT.md` specifies the bytes.
package struct RetentionFile: Sendable {
    let file: SealedFile

    static let fileName = "retention"

    init(_ fileSystem: any FileSystem, _ directory: any RealmDirectory, realmID: Identity128) {
        file = SealedFile(
            name: Self.fileName, magic: 0x5452_4752,  // "RGRT"
            fileSystem: fileSystem, directory: directory, realmID: realmID)
    }

    /// Returns the stored retention; `nil` if it was never set, or if the file is damaged or
    /// belongs to another realm.
    ///
    /// Throws the errors of the file system; the caller must not remove anything under a different
    /// retention then.
    package func read() throws(StoreError) -> HistoryRetention? {
        guard let opened = try ifFound(file.directory.open(file.name)),
            let (words, _) = file.decode(
                try opened.read(at: 0, count: SealedFile.overheadByteCount))
        else { return nil }
        let limits: [UInt64?] = words.map { $0 == .max ? nil : $0 }
        return HistoryRetention(
            ageNanoseconds: limits[0], byteCount: limits[1], nodesByteCount: limits[2])
    }

    /// Stores the retention durably, unless it is unchanged.
    ///
    /// Throws `diskFull` and the errors of the file system; the previous retention then remains.
    package func write(_ retention: HistoryRetention) throws(StoreError) {
        guard try read() != retention else { return }
        try file.write([
            retention.ageNanoseconds ?? .max, retention.byteCount ?? .max,
            retention.nodesByteCount ?? .max,
        ])
    }
}

extension RealmLog {
    /// The realm's retention file.
    package var retentionFile: RetentionFile {
        RetentionFile(fileSystem, directory, realmID: realmID)
    }
}
