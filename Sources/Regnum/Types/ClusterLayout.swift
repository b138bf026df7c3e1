/// Where the values of a row lie in memory: the part of the engine's cluster layout that inlined
/// reads need. `Sources/RegnumEngine/Clusters/ClusterLayout.swift` owns it, and `ClusterLayoutTests`
/// holds the two together.
public enum _ClusterLayout {
    /// The chunk word of a column: the address of its values with the logarithm of an integer's
    /// width in the low 6 bits; 0 where it was not read from the file yet.
    @inlinable @inline(__always)
    static func word(_ cluster: UnsafeRawPointer, _ column: Int) -> UInt {
        cluster.load(fromByteOffset: 80 &+ 8 &* column, as: UInt.self)
    }

    /// Bytes of the part of a cluster that inlined reads of that many columns look at before they
    /// find a word of 0.
    static func byteCount(columnCount: Int) -> Int { 128 + 64 * (columnCount + 1) }

    /// The values of the chunk that a word names.
    @inlinable @inline(__always)
    static func values(_ word: UInt) -> UnsafeRawPointer {
        UnsafeRawPointer(bitPattern: (word & ~63) &+ 16).unsafelyUnwrapped
    }

    /// What the cluster says of a column beside its values.
    @inlinable @inline(__always)
    static func slot(_ cluster: UnsafeRawPointer, _ column: Int) -> UnsafeRawPointer {
        let slotCount = Int(cluster.load(fromByteOffset: 14, as: UInt16.self))
        let slots = (80 &+ 8 &* slotCount &+ 63) & ~63
        return cluster + (slots &+ 64 &* column)
    }

    /// Whether the row has a value in an optional column.
    @inlinable @inline(__always)
    static func isPresent(_ cluster: UnsafeRawPointer, _ column: Int, _ place: Int) -> Bool {
        let offset = Int(slot(cluster, column).load(fromByteOffset: 28, as: UInt32.self))
        guard offset != 0 else { return true }
        let bits = cluster.load(fromByteOffset: offset &+ 8 &* (place >> 6), as: UInt64.self)
        return bits >> UInt64(place & 63) & 1 != 0
    }

    /// A value of fixed width, nil where the chunk was not read yet.
    @inlinable @inline(__always)
    static func value<T: BitwiseCopyable>(
        _ cluster: UnsafeRawPointer, _ column: Int, _ place: Int, as type: T.Type
    ) -> T? {
        guard column >= 0 else { return nil }
        let word = word(cluster, column)
        guard word != 0 else { return nil }
        return values(word).load(fromByteOffset: MemoryLayout<T>.stride &* place, as: type)
    }

    /// The bytes of a string or data value, nil where they have to be read the long way.
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
