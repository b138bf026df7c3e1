/// The keys of the files of an encrypted realm that has had other keys before.
extension RealmDirectory {
    /// Throws `wrongKey` if a segment or nodes file is encrypted with a key that isn't among those
    /// of the options; other errors if its header can't be read, is damaged or isn't encrypted.
    func checkKey(of name: String, _ options: StoreOptions) throws(StoreError) {
        let bytes = try open(name).read(at: 0, count: Int(SegmentHeader.byteCount))
        let path = path + "/" + name
        if let realmID = NodesHeader.realmID(bytes) {
            _ = try NodesHeader.check(
                bytes, realmID: realmID, number: Bytes.load(UInt64.self, from: bytes, at: 40),
                path: path, isReadOnly: true, key: options.key)
        } else {
            _ = try SegmentHeader(
                decoding: bytes, path: path, isReadOnly: true, key: options.key)
        }
    }

    /// Returns the number of the realm's files that may contain something that isn't encrypted
    /// with the newest key: those with a former key, and those whose key can't be determined.
    /// Returns 0 if the realm isn't encrypted.
    ///
    /// Throws the errors of the file system if the directory can't be read.
    func formerKeyFileCount(_ options: StoreOptions) throws(StoreError) -> Int {
        guard let key = options.key?.alone else { return 0 }
        var newest = options
        newest.key = key
        var count = 0
        for name in try names() {
            let isTemporary = name.hasPrefix(TemporaryName.prefix)
            let isMark = name == MigrationMark.fileName
            guard
                isTemporary || isMark || SegmentHeader.parse(fileName: name) != nil
                    || NodesHeader.parse(fileName: name) != nil
            else { continue }
            do throws(StoreError) {
                if isMark {
                    if try !isMarkEncrypted(with: key) { count += 1 }
                } else {
                    // a new segment or spare whose header isn't written yet
                    if isTemporary, try isBlank(name) { continue }
                    try checkKey(of: name, newest)
                }
            } catch {
                if error.code != .fileNotFound { count += 1 }
            }
        }
        return count
    }

    /// Whether that key encrypts the mark of a migration.
    func isMarkEncrypted(with key: EncryptionKey) throws(StoreError) -> Bool {
        let file = try open(MigrationMark.fileName)
        let size = try file.size()
        guard size <= Limits.maximumMigrationMarkByteCount else { return false }  // it isn't one
        let bytes = try file.read(at: 0, count: Int(size))
        return SealedFile.content(of: bytes, key.wrapping) != nil
    }

    private func isBlank(_ name: String) throws(StoreError) -> Bool {
        try open(name).read(at: 0, count: Int(SegmentHeader.byteCount)).allSatisfy { $0 == 0 }
    }
}

extension LogTrimming {
    /// Returns the number of files that may not be encrypted with the newest key.
    ///
    /// Throws the errors of the file system.
    package func formerKeyFileCount() throws(StoreError) -> Int {
        try directory.formerKeyFileCount(options)
    }
}

extension LogHistory {
    /// Returns the number of files that may not be encrypted with the newest key.
    ///
    /// Throws the errors of the file system.
    package func formerKeyFileCount() throws(StoreError) -> Int {
        try directory.formerKeyFileCount(options)
    }
}
