/// A file in an archive. It has no mutable state.
final class ArchiveMember: StoreFile {
    private let archive: any StoreFile
    /// Where its bytes are in the archive.
    private let range: Range<UInt64>

    init(_ archive: any StoreFile, _ range: Range<UInt64>) {
        self.archive = archive
        self.range = range
    }

    /// The content of an archive stays what it was when it was opened.
    var isRemoved: Bool { false }

    func size() -> UInt64 { byteCount }

    private var byteCount: UInt64 { range.upperBound - range.lowerBound }

    func read(at offset: UInt64, count: Int) throws(StoreError) -> [UInt8] {
        guard offset < byteCount else { return [] }
        let room = Int(clamping: min(UInt64(count), byteCount - offset))
        return try archive.read(at: range.lowerBound + offset, count: room)
    }

    /// The mapping begins at the page of the archive that has the first byte.
    func map(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer? {
        let (start, isOver) = range.lowerBound.addingReportingOverflow(offset)
        guard !isOver else { return nil }
        let lead = Int(start % 4096)
        let bytes = try archive.map(at: start - UInt64(lead), count: count + lead)
        return bytes.map { UnsafeRawBufferPointer(rebasing: $0[lead...]) }
    }

    func populate(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) -> Bool {
        // what follows in the archive isn't in this file
        guard offset <= byteCount, UInt64(bytes.count) <= byteCount - offset else {
            throw StoreError(
                .invalidDatabase,
                "A file in an archive is too short to contain the \(bytes.count) bytes at offset "
                    + "\(offset).")
        }
        return try archive.populate(bytes, at: range.lowerBound + offset)
    }

    // Modifying methods, which are never called.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) { refuse() }
    func release(from offset: UInt64) { refuse() }
    func sync() { refuse() }

    private func refuse() -> Never {
        preconditionFailure("write to a file in an archive")
    }
}
