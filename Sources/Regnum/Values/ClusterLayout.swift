/// The memory layout of a row's values, as far as inlined reads need it. The layout is
/// owned by `Sources/RegnumEngine/Clusters/ClusterLayout.swift`; `ClusterLayoutTests`
/// checks that the two agree.
public enum _ClusterLayout {
    /// Returns the chunk word of a column: the address of its values, with the logarithm of an
    /// integer's width in the low 6 bits; 0 if the chunk hasn't been read from the file yet.
    @inlinable @inline(__always)
    static func word(_ cluster: UnsafeRawPointer, _ column: Int) -> UInt {
        cluster.load(fromByteOffset: 80 &+ 8 &* column, as: UInt.self)
    }

    /// Returns how many bytes of a cluster an inlined read of any of `columnCount` columns may
    /// access before it finds a chunk word of 0.
    static func byteCount(columnCount: Int) -> Int { 128 + 64 * (columnCount + 1) }

    /// Returns the address of the values of the chunk with the given word.
    @inlinable @inline(__always)
    static func values(_ word: UInt) -> UnsafeRawPointer {
        UnsafeRawPointer(bitPattern: (word & ~63) &+ 16).unsafelyUnwrapped
    }

    /// Returns the address of a column's metadata in the cluster.
    @inlinable @inline(__always)
    static func slot(_ cluster: UnsafeRawPointer, _ column: Int) -> UnsafeRawPointer {
        let slotCount = Int(cluster.load(fromByteOffset: 14, as: UInt16.self))
        let slots = (80 &+ 8 &* slotCount &+ 63) & ~63
        return cluster + (slots &+ 64 &* column)
    }

    /// Returns whether the row has a value in an optional column.
    @inlinable @inline(__always)
    static func isPresent(_ cluster: UnsafeRawPointer, _ column: Int, _ place: Int) -> Bool {
        let offset = Int(slot(cluster, column).load(fromByteOffset: 28, as: UInt32.self))
        guard offset != 0 else { return true }
        let bits = cluster.load(fromByteOffset: offset &+ 8 &* (place >> 6), as: UInt64.self)
        return bits >> UInt64(place & 63) & 1 != 0
    }

    /// Returns a value of fixed width, or `nil` if the chunk hasn't been read yet.
    @inlinable @inline(__always)
    static func value<T: BitwiseCopyable>(
        _ cluster: UnsafeRawPointer, _ column: Int, _ place: Int, as type: T.Type
    ) -> T? {
        guard column >= 0 else { return nil }
        let word = word(cluster, column)
        guard word != 0 else { return nil }
        return values(word).load(fromByteOffset: MemoryLayout<T>.stride &* place, as: type)
    }

    /// Returns the bytes of a string or data value, or `nil` if it must be read on the slow path.
    @inlinable @inline(__always)
    static func bytes(
        _ cluster: UnsafeRawPointer, _ column: Int, _ place: Int
    ) -> UnsafeRawBufferPointer? {
        guard column >= 0 else { return nil }
        let word = word(cluster, column)
        guard word != 0 else { return nil }
        let cell = values(word) + 16 &* place
        let count = Int(cell.load(as: UInt32.self))
        if count <= 12 { return UnsafeRawBufferPointer(start: cell + 4, count: count) }
        guard count <= 4096 else { return nil }
        let text = slot(cluster, column).load(as: UInt.self)
        guard let text = UnsafeRawPointer(bitPattern: text) else { return nil }
        let offset = Int(cell.load(fromByteOffset: 8, as: UInt32.self))
        return UnsafeRawBufferPointer(start: text + (16 &+ offset), count: count)
    }
}
