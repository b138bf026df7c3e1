/// One open segment of the log.
struct LogSegment {
    var header: SegmentHeader
    var name: String
    var file: any StoreFile
    /// The size of the file, including the header.
    var byteCount: UInt64
    /// The cipher of the bodies of records; `nil` if the realm isn't encrypted.
    var cipher: (any Cipher)?

    /// The log position after the last byte that this segment can hold.
    var capacityEnd: LogPosition { header.base + byteCount - SegmentHeader.byteCount }

    func fileOffset(of position: LogPosition) -> UInt64 {
        position - header.base + SegmentHeader.byteCount
    }

    /// Opens a segment of a log of which another one was opened, so that one which is encrypted is
    /// damaged if that one isn't, and the other way round. Throws `wrongKey` if the realm has been
    /// given another key since, or had one before, that isn't known.
    static func open(
        _ directory: any RealmDirectory, _ number: UInt64, _ options: StoreOptions
    ) throws(StoreError) -> LogSegment {
        do throws(StoreError) {
            return try openLast(directory, number, options)
        } catch {
            guard error.code == .keyRequired || error.code == .notEncrypted else { throw error }
            throw SegmentHeader.damage(
                error.path ?? directory.path, "it isn't encrypted as the rest of the realm is")
        }
    }

    /// Opens the segment that shows whether the realm is encrypted, and with which key: the last
    /// one. Throws `keyRequired`, `wrongKey` and `notEncrypted`.
    static func openLast(
        _ directory: any RealmDirectory, _ number: UInt64, _ options: StoreOptions
    ) throws(StoreError) -> LogSegment {
        let name = SegmentHeader.fileName(number: number)
        let path = directory.path + "/" + name
        let file = try directory.open(name)
        let bytes = try file.read(at: 0, count: Int(SegmentHeader.byteCount))
        let header = try SegmentHeader(
            decoding: bytes, path: path, isReadOnly: directory.isReadOnly, key: options.key)
        guard header.generation == 0, header.number == number else {
            throw StoreError(
                .invalidDatabase,
                "\(path) has the header of segment \(header.generation)-\(header.number): it was "
                    + "renamed or overwritten. \(StoreError.advice)", path: path)
        }
        let size = try file.size()
        guard header.isInRange, size >= SegmentHeader.byteCount else {
            throw SegmentHeader.damage(path, "it has an invalid position or number")
        }
        return LogSegment(
            header: header, name: name, file: file, byteCount: size,
            cipher: options.cipher(header.fileKey))
    }

    /// Returns the realm of a segment, whose key needn't be known; `nil` if its header is damaged.
    static func realmID(
        _ directory: any RealmDirectory, _ number: UInt64
    ) throws(StoreError) -> Identity128? {
        let file = try directory.open(SegmentHeader.fileName(number: number))
        let bytes = try file.read(at: 0, count: Int(SegmentHeader.byteCount))
        guard let found = SegmentHeader.identify(bytes), found.number == number else { return nil }
        return found.realmID
    }

    /// Throws `invalidDatabase` if the last segment of a log has a size that no segment is created
    /// with.
    func checkSize(_ directory: any RealmDirectory) throws(StoreError) {
        guard Self.mayHaveSize(byteCount) else {
            let path = directory.path + "/" + name
            throw StoreError(
                .invalidDatabase,
                "\(path) has \(byteCount) bytes, which is not a valid segment size: it was "
                    + "truncated. \(StoreError.advice)", path: path)
        }
    }

    /// Returns whether a segment may have been created with that size.
    static func mayHaveSize(_ byteCount: UInt64) -> Bool { byteCount % 512 == 0 }

    /// Creates a file of `byteCount` zeros under a temporary name, synced, without a header.
    static func makeBlank(
        _ directory: any RealmDirectory, name: String, byteCount: UInt64
    ) throws(StoreError) -> any StoreFile {
        let file = try directory.create(name)
        let zeros = [UInt8](repeating: 0, count: Int(min(byteCount, 1 << 20)))
        var offset: UInt64 = 0
        do {
            while offset < byteCount {
                let count = Int(min(byteCount - offset, UInt64(zeros.count)))
                try file.write(zeros, count: count, at: offset)
                offset += UInt64(count)
            }
            try file.sync()
        } catch {
            try? directory.unlink(name)
            throw error
        }
        return file
    }
}

extension StoreFile {
    /// Writes the first `count` of `bytes`, or all by default.
    func write(_ bytes: [UInt8], count: Int? = nil, at offset: UInt64) throws(StoreError) {
        try bytes.withUnsafeBufferPointer { (all) throws(StoreError) in
            let part = UnsafeBufferPointer(rebasing: all[..<(count ?? all.count)])
            try write(UnsafeRawBufferPointer(part), at: offset)
        }
    }
}
