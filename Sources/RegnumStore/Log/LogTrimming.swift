/// Removes what the two kept checkpoints make needless: segments whose records all lie before the
/// older one, and nodes files that neither names. A nodes file newer than the newest checkpoint's
/// stays: its checkpoint may only just be on its way into the log. If it is not, it goes once a
/// newer file is named, or at the next opening that is alone.
///
/// May run on any thread, beside the log's owner. Interrupted anywhere, it leaves files that the
/// next one removes; other processes keep what they have open or mapped.
package struct LogTrimming: Sendable {
    let directory: any RealmDirectory
    /// The record that names the checkpoints may not be durable yet: nothing is removed.
    let keepsAll: Bool
    /// Records from this position on are needed.
    let firstNeeded: LogPosition
    let neededFiles: Set<UInt64>
    /// Nodes files from this number on are left alone.
    var firstLeftFile: UInt64
    let lastSegmentNumber: UInt64

    /// Removes; throws what the file system throws, which is harmless.
    package func run() throws(StoreError) {
        guard !keepsAll else { return }
        let names = try directory.names()
        var hasRemoved = false
        let numbers = names.compactMap(SegmentHeader.parse).filter { $0.generation == 0 }
            .map(\.number).filter { $0 <= lastSegmentNumber }.sorted()
        if firstNeeded > 0 {
            for (number, next) in zip(numbers, numbers.dropFirst()) {
                let successor = try LogSegment.open(directory, generation: 0, number: next)
                guard successor.header.base <= firstNeeded else { break }
                try directory.unlink(SegmentHeader.fileName(generation: 0, number: number))
                // the older ones first, for good: what is left begins anywhere, and has no gap
                try directory.sync()
            }
        }
        for name in names {
            guard let number = NodesHeader.parse(fileName: name), number < firstLeftFile,
                !neededFiles.contains(number)
            else { continue }
            try directory.unlink(name)
            hasRemoved = true
        }
        if hasRemoved { try directory.sync() }
    }
}
