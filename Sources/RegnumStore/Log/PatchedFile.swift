/// A file on a disk that can't read some of its blocks: these read as zeros, so that what is before
/// and after them can be read.
final class PatchedFile: StoreFile {
    private let base: any StoreFile
    private let maximumBlockCount: Int
    private let state = Guarded(State())

    private struct State: Sendable {
        /// Why blocks can't be read.
        var failures: [UInt64: StoreError] = [:]
        /// The blocks that `takeFailures` has returned.
        var taken: Set<UInt64> = []
    }

    /// The size of the parts that a disk reads or doesn't.
    private static let blockByteCount: UInt64 = 4096

    /// - Parameter maximumBlockCount: The number of unreadable blocks after which reading throws
    ///   the disk's error, since each can take the disk many seconds.
    init(_ base: any StoreFile, maximumBlockCount: Int = .max) {
        self.base = base
        self.maximumBlockCount = maximumBlockCount
    }

    /// Returns the failures in a part of the file that weren't returned before, one for each run of
    /// blocks, with the offset of the run; `nil` if all that was read of that part is readable.
    func takeFailures(in range: Range<UInt64>) -> [StoreError]? {
        guard let last = range.last else { return nil }
        let blocks = range.lowerBound / Self.blockByteCount...last / Self.blockByteCount
        return state.withLock { state in
            let known = state.failures.filter { blocks.contains($0.key) }
            if known.isEmpty { return nil }
            var errors: [StoreError] = []
            for (block, failure) in known.sorted(by: { $0.key < $1.key })
            where state.taken.insert(block).inserted {
                var end = block + 1
                while state.failures[end] != nil, state.taken.insert(end).inserted { end += 1 }
                let (offset, count) = (block * Self.blockByteCount, end - block)
                var error = failure
                error.message +=
                    " Affected: \(count * Self.blockByteCount) bytes at offset \(offset)."
                error.position = offset
                errors.append(error)
            }
            return errors
        }
    }

    /// - Complexity: For each unreadable block, O(log n) further attempts when it is found.
    func read(at offset: UInt64, count: Int) throws(StoreError) -> [UInt8] {
        guard count > 0 else { return [] }
        let (last, isOver) = offset.addingReportingOverflow(UInt64(count) - 1)
        if isOver { return try base.read(at: offset, count: count) }
        let blocks = offset / Self.blockByteCount...last / Self.blockByteCount
        let isKnown = state.withLock { state in
            !state.failures.isEmpty && blocks.contains { state.failures[$0] != nil }
        }
        if !isKnown {
            do throws(StoreError) {
                return try base.read(at: offset, count: count)
            } catch {
                guard error.isMediaFailure,
                    state.withLock({ $0.failures.count < maximumBlockCount })
                else { throw error }
                if blocks.count == 1 { state.withLock { $0.failures[blocks.lowerBound] = error } }
            }
        }
        if blocks.count == 1 {
            let end = try base.size()
            return [UInt8](repeating: 0, count: end > offset ? min(count, Int(end - offset)) : 0)
        }
        let middle = (blocks.lowerBound + UInt64(blocks.count) / 2) * Self.blockByteCount
        let firstCount = Int(middle - offset)
        return try read(at: offset, count: firstCount)
            + read(at: middle, count: count - firstCount)
    }

    var isRemoved: Bool { base.isRemoved }
    func size() throws(StoreError) -> UInt64 { try base.size() }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) {
        try base.write(bytes, at: offset)
    }
    func release(from offset: UInt64) { base.release(from: offset) }
    func sync() throws(StoreError) { try base.sync() }
    func map(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer? {
        try base.map(at: offset, count: count)
    }
    func populate(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) -> Bool {
        try base.populate(bytes, at: offset)
    }
}
