/// Writes files one after the other as a tar archive.
struct ArchiveWriter {
    private let file: any StoreFile
    private let seconds: UInt64
    private let syncByteCount: UInt64
    /// Called between writes; returning false stops with the error `closed`.
    private let shouldContinue: @Sendable () -> Bool
    private var offset: UInt64 = 0
    private var syncedOffset: UInt64 = 0

    private static let writeByteCount: UInt64 = 1 << 20

    /// - Parameters:
    ///   - file: an empty file.
    ///   - seconds: the time of the files in it, in seconds since 1970.
    ///   - syncByteCount: the number of bytes that are written before a sync.
    init(
        _ file: any StoreFile, seconds: UInt64, syncByteCount: UInt64,
        shouldContinue: @escaping @Sendable () -> Bool
    ) {
        self.file = file
        self.seconds = seconds
        self.syncByteCount = syncByteCount
        self.shouldContinue = shouldContinue
    }

    /// Adds a file with the content of `source`, which nobody changes.
    mutating func add(_ name: String, _ source: any StoreFile) throws(StoreError) {
        let byteCount = try source.size()
        let header = TarHeader(name: name, fileByteCount: byteCount, seconds: seconds)
        try append(header.encoded())
        var position: UInt64 = 0
        while position < byteCount {
            let count = min(Self.writeByteCount, byteCount - position)
            let part = try source.read(at: position, count: Int(count))
            guard part.count == count else {
                throw StoreError(.ioFailed, "The file \(name) became shorter while being copied.")
            }
            try append(part)
            position += count
        }
        try append([UInt8](repeating: 0, count: Int(header.paddingByteCount)))
    }

    /// Writes the end mark, and makes the archive durable.
    mutating func finish() throws(StoreError) {
        try append([UInt8](repeating: 0, count: 2 * TarHeader.byteCount))
        try file.sync()
    }

    private mutating func append(_ bytes: [UInt8]) throws(StoreError) {
        guard shouldContinue() else { throw StoreError(.closed, "The copy was cancelled.") }
        try file.write(bytes, at: offset)
        offset += UInt64(bytes.count)
        if offset - syncedOffset >= syncByteCount {
            try file.sync()
            syncedOffset = offset
        }
    }
}
