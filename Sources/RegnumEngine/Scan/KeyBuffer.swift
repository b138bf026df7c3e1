import CRegnum
import Glibc

/// A growing buffer of object keys, collected cluster by cluster.
struct KeyBuffer: ~Copyable {
    private(set) var count = 0
    private var capacity = 0
    private var keys: UnsafeMutablePointer<UInt64>?

    init() {}

    deinit { free(keys) }

    /// Appends the rows of a cluster.
    @inline(__always)
    mutating func append(_ firstKey: UInt64, _ rows: RowMask) {
        if count &+ rowsPerCluster > capacity { grow() }
        guard let keys else { return }
        var rows = rows
        count &+= rows.withWords { cregnum_collect_keys($0, firstKey, keys + count) }
    }

    private mutating func grow() {
        let newCapacity = max(2 * capacity, 4 * rowsPerCluster)
        let new = allocateBuffer(UInt64.self, newCapacity)
        if let keys { new.update(from: keys, count: count) }
        free(keys)
        keys = new
        capacity = newCapacity
    }

    /// Returns the first `limit` keys.
    func prefix(_ limit: Int) -> [UInt64] {
        Array(UnsafeBufferPointer(start: keys, count: min(count, limit)))
    }
}

/// Allocates uninitialized memory for `count` values, in huge pages if that is worthwhile. Release
/// it with `free`.
func allocateBuffer<T: BitwiseCopyable>(_ type: T.Type, _ count: Int) -> UnsafeMutablePointer<T> {
    guard let memory = cregnum_allocate_buffer(count * MemoryLayout<T>.stride) else {
        fatalError("Out of memory: cannot allocate \(count) values.")
    }
    return memory.bindMemory(to: T.self, capacity: count)
}
