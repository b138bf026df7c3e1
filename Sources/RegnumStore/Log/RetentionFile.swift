/// The history retention stored with the realm: a small file, which is absent until a retention is
/// set. `Docs/FORMAT.md` specifies the bytes.
package struct RetentionFile: Sendable {
    let fileSystem: any FileSystem
    let directory: any RealmDirectory
    let realmID: Identity128

    static let fileName = "retention"
    private static let magic: UInt32 = 0x5452_4752  // "RGRT"
    private static let format: UInt32 = 1
    private static let byteCount = 52

    /// Returns the stored retention; `nil` if it was never set, or if the file is damaged or
    /// belongs to another realm.
    ///
    /// Throws the errors of the file system; the caller must not remove anything under a different
    /// retention then.
    package func read() throws(StoreError) -> HistoryRetention? {
        let bytes: [UInt8]
        do {
            bytes = try directory.open(Self.fileName).read(at: 0, count: Self.byteCount)
        } catch {
            if error.code == .fileNotFound { return nil }
            throw error
        }
        return decode(bytes)
    }

    /// Stores the retention durably, unless it is unchanged.
    ///
    /// Throws `diskFull` and the errors of the file system; the previous retention then remains.
    package func write(_ retention: HistoryRetention) throws(StoreError) {
        guard try read() != retention else { return }
        try directory.replaceFile(
            Self.fileName, with: encode(retention), temporary: TemporaryName.random(fileSystem))
    }

    private func encode(_ retention: HistoryRetention) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        Bytes.store(Self.magic, in: &bytes, at: 0)
        Bytes.store(Self.format, in: &bytes, at: 4)
        Bytes.store(realmID.high, in: &bytes, at: 8)
        Bytes.store(realmID.low, in: &bytes, at: 16)
        Bytes.store(retention.ageNanoseconds ?? .max, in: &bytes, at: 24)
        Bytes.store(retention.byteCount ?? .max, in: &bytes, at: 32)
        Bytes.store(retention.nodesByteCount ?? .max, in: &bytes, at: 40)
        let crc = bytes.withUnsafeBytes {
            Checksum.crc32c(UnsafeRawBufferPointer(rebasing: $0[..<48]))
        }
        Bytes.store(crc, in: &bytes, at: 48)
        return bytes
    }

    private func decode(_ bytes: [UInt8]) -> HistoryRetention? {
        guard bytes.count == Self.byteCount,
            Bytes.load(UInt32.self, from: bytes, at: 0) == Self.magic,
            Bytes.load(UInt32.self, from: bytes, at: 4) == Self.format,
            Bytes.load(UInt64.self, from: bytes, at: 8) == realmID.high,
            Bytes.load(UInt64.self, from: bytes, at: 16) == realmID.low
        else { return nil }
        let crc = bytes.withUnsafeBytes {
            Checksum.crc32c(UnsafeRawBufferPointer(rebasing: $0[..<48]))
        }
        guard Bytes.load(UInt32.self, from: bytes, at: 48) == crc else { return nil }
        func limit(_ offset: Int) -> UInt64? {
            let number = Bytes.load(UInt64.self, from: bytes, at: offset)
            return number == .max ? nil : number
        }
        return HistoryRetention(
            ageNanoseconds: limit(24), byteCount: limit(32), nodesByteCount: limit(40))
    }
}

extension RealmLog {
    /// The realm's retention file.
    package var retentionFile: RetentionFile {
        RetentionFile(fileSystem: fileSystem, directory: directory, realmID: realmID)
    }
}
