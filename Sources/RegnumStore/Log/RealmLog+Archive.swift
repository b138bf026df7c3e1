/// Packing a realm into one file.
extension RealmLog {
    /// Packs the realm in a directory, to which nobody writes, into a new file of that directory,
    /// durably. The file has a temporary name, which is returned, and is removed after an error.
    ///
    /// Throws `diskFull`, `ioFailed`, and `closed` if cancelled.
    ///
    /// - Parameter shouldContinue: called between writes; returning false cancels it.
    /// - Complexity: O(n), read and written once.
    package static func pack(
        _ directory: any RealmDirectory, _ fileSystem: any FileSystem, _ options: StoreOptions,
        shouldContinue: @escaping @Sendable () -> Bool
    ) throws(StoreError) -> String {
        let names = try directory.names().filter {
            SegmentHeader.parse(fileName: $0) != nil || NodesHeader.parse(fileName: $0) != nil
        }
        let archiveName = TemporaryName.random(fileSystem)
        let file = try directory.create(archiveName)
        do throws(StoreError) {
            var archive = ArchiveWriter(
                file, seconds: UInt64(max(fileSystem.wallClockMicroseconds(), 0) / 1_000_000),
                syncByteCount: options.nodesSyncByteCount, shouldContinue: shouldContinue)
            for name in names.sorted() { try archive.add(name, directory.open(name)) }
            try archive.finish()
        } catch {
            try? directory.unlink(archiveName)
            throw error
        }
        return archiveName
    }
}
