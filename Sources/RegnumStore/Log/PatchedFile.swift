/// A file on a disk that can't read some of its blocks: these read as zeros, so that what is before
/// and after them can be read.
final class PatchedFile: StoreFile {
    private let base: any StoreFile
    private let state = Guarded(State())

    private struct State: Sendable {
        var unreadableBlocks: Set<UInt64> = []
        var failure: StoreError?
    }

    /// The size of the parts that a disk reads or doesn't.
    private static let blockByteCount: UInt64 = 4096

    init(_ base: any StoreFile) { self.base = base }

    /// Returns the failure since the last call, if any.
    func takeFailure() -> StoreError? {
        state.withLock { state in
            defer { state.failure = nil }
            return state.failure
        }
    }

    /// - Complexity: For each unreadable block, O(log n) further attempts when it is found.
    func read(at offset: UInt64, count: Int) throws(StoreError) -> [UInt8] {
        guard count > 0 else { return [] }
        let (last, isOver) = offset.addingReportingOverflow(UInt64(count) - 1)
        if isOver { return try base.read(at: offset, count: count) }
        let blocks = offset / Self.blockByteCount...last / Self.blockByteCount
        let isKnown = state.withLock { $0.unreadableBlocks.contains(where: blocks.contains) }
        if !isKnown {
            do throws(StoreError) {
                return try base.read(at: offset, count: count)
            } catch {
                guard error.isMediaFailure else { throw error }
                state.withLock { state in
                    state.failure = state.failure ?? error
                    if blocks.count == 1 { state.unreadableBlocks.insert(blocks.lowerBound) }
                }
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
