/// The history retention stored with the realm: a small file, which is absent until a retention is
/// set. `Docs/FORMAT.md` specifies the bytes.
package struct RetentionFile: Sendable {
    /// A retention for which the disk had no space.
    struct Delayed: Sendable {
        let retention: HistoryRetention
        /// The retention that was stored at that time. If another process has replaced it since,
        /// the delayed one is no longer stored.
        let stored: HistoryRetention?
    }

    let file: SealedFile
    private let delayed: Guarded<Delayed?>

    static let fileName = "retention"

    init(
        _ fileSystem: any FileSystem, _ directory: any RealmDirectory, realmID: Identity128,
        delayed: Guarded<Delayed?> = Guarded(nil)
    ) {
        self.delayed = delayed
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

    /// Returns the retention by which this process removes files: the stored one, or one for which
    /// there was no space.
    ///
    /// Throws as ``read()`` does.
    func effective() throws(StoreError) -> HistoryRetention? {
        let stored = try read()
        return delayed.withLock { delayed in
            if let delayed, delayed.stored == stored { return delayed.retention }
            delayed = nil
            return stored
        }
    }

    /// Stores the retention durably, unless it is unchanged.
    ///
    /// Throws `diskFull` and the errors of the file system; the previous retention then remains. On
    /// a full disk, this process goes by the new one, and `storeDelayed` tries to store it again.
    package func write(_ retention: HistoryRetention) throws(StoreError) {
        let stored = try read()
        do throws(StoreError) {
            if stored != retention {
                try file.write([
                    retention.ageNanoseconds ?? .max, retention.byteCount ?? .max,
                    retention.nodesByteCount ?? .max,
                ])
            }
        } catch {
            guard error.code == .diskFull else { throw error }
            delayed.withLock { $0 = Delayed(retention: retention, stored: stored) }
            throw error
        }
        delayed.withLock { $0 = nil }
    }

    /// Stores a retention for which there was no space, if there is now.
    func storeDelayed() {
        guard delayed.withLock({ $0 != nil }), let retention = try? effective() else { return }
        try? write(retention)
    }
}

extension RealmLog {
    /// The realm's retention file.
    package var retentionFile: RetentionFile {
        RetentionFile(fileSystem, directory, realmID: realmID, delayed: delayedRetention)
    }
}
