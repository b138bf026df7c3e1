/// The sizes of a realm's files, in bytes: segments of the log, the spare segment, nodes files.
package struct FileSizes: Sendable, Hashable {
    /// The size of all of them.
    package private(set) var total: UInt64 = 0
    /// The size of those that opening the realm doesn't need, which are kept for past versions.
    package private(set) var history: UInt64 = 0

    package init() {}

    /// Adds the size of a file; nothing if it was removed.
    fileprivate mutating func add(
        _ name: String, in directory: any RealmDirectory, isHistory: Bool = false
    ) throws(StoreError) {
        guard let byteCount = try ifFound(directory.open(name))?.size() else { return }
        total += byteCount
        if isHistory { history += byteCount }
    }
}

extension LogTrimming {
    /// Measures the realm's files. Other processes may remove some at the same time.
    ///
    /// Throws the errors of the file system.
    package func measure() throws(StoreError) -> FileSizes {
        let names = try directory.names()
        let numbers = SegmentHeader.numbers(names)
        let past = Set(
            try obsoleteSegments(numbers.filter { $0 <= lastSegmentNumber }, before: firstNeeded))
        var sizes = FileSizes()
        for number in numbers {
            try sizes.add(
                SegmentHeader.fileName(number: number), in: directory,
                isHistory: past.contains(number))
        }
        for number in names.compactMap(NodesHeader.parse) {
            try sizes.add(
                NodesHeader.fileName(number), in: directory,
                isHistory: number < newestFile && !neededFiles.contains(number))
        }
        if names.contains(RealmLog.spareName) {
            try sizes.add(RealmLog.spareName, in: directory)
        }
        return sizes
    }
}

extension LogHistory {
    /// Returns the size of all files of the log and the content.
    ///
    /// Throws the errors of the file system.
    package func totalByteCount() throws(StoreError) -> UInt64 {
        var sizes = FileSizes()
        for name in try directory.names()
        where SegmentHeader.parse(fileName: name) != nil || NodesHeader.parse(fileName: name) != nil
            || name == RealmLog.spareName
        {
            try sizes.add(name, in: directory)
        }
        return sizes.total
    }
}
