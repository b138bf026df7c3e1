import RegnumStore

extension Cluster {
    /// Returns whether the row exists and isn't deleted.
    @inline(__always)
    func isLive(_ row: Int) -> Bool { live[row >> 6] >> UInt64(row & 63) & 1 != 0 }

    /// Returns whether the row is null in a column for which the cluster has a slot. Always false
    /// for required columns.
    @inline(__always)
    func isNull(_ row: Int, _ column: Int) -> Bool {
        guard let bits = presence(column) else { return false }
        return bits[row >> 6] >> UInt64(row & 63) & 1 == 0
    }

    /// Returns the value of a row below `rowCount`, or the default if the cluster has no slot for
    /// the column.
    func value(_ row: Int, _ column: ColumnSchema) -> Value {
        let index = column.key.index
        guard index < slotCount else { return column.defaultValue }
        if isNull(row, index) { return .null }
        switch column.type {
        case .bool: return .bool(bool(row, index))
        case .int: return .int(int(row, index))
        case .double: return .double(double(row, index))
        case .date: return .date(double(row, index))
        case .string: return .string(String(decoding: bytes(row, index), as: UTF8.self))
        case .data: return .data([UInt8](bytes(row, index)))
        case .any: return .any([UInt8](bytes(row, index)))
        case .uuid:
            let (high, low) = words(row, index)
            return .uuid(Identity128(high: high, low: low))
        case .decimal:
            let (high, low) = words(row, index)
            return .decimal(DecimalBits(high: high, low: low))
        case .objectId:
            let (high, low) = words(row, index)
            return .objectId(ObjectIdBytes(high: high, low: UInt32(truncatingIfNeeded: low)))
        }
    }

    // Typed reads. The cluster must have a slot of that type for the column, and the row must be
    // below `rowCount`. Null reads as zero.

    @inline(__always)
    func int(_ row: Int, _ column: Int) -> Int64 {
        let word = chunk(column)
        return Cluster.int(Cluster.rows(word), row, log2: Int(word & 63))
    }

    @inline(__always)
    func double(_ row: Int, _ column: Int) -> Double {
        rows(column).load(fromByteOffset: 8 &* row, as: Double.self)
    }

    @inline(__always)
    func bool(_ row: Int, _ column: Int) -> Bool {
        rows(column).load(fromByteOffset: row, as: UInt8.self) != 0
    }

    /// Returns the 16 bytes of a UUID, decimal or ObjectId (for which the upper half of `low` is
    /// 0).
    @inline(__always)
    func words(_ row: Int, _ column: Int) -> (high: UInt64, low: UInt64) {
        let address = rows(column) + row &* 16
        return (address.load(as: UInt64.self), address.load(fromByteOffset: 8, as: UInt64.self))
    }

    /// Returns the bytes of a string or data value. Valid while a root that shows the cluster is
    /// held and the edit that owns it doesn't change the row in place.
    @inline(__always)
    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
        bytes(of: TextCell(rows(column) + row &* 16), column)
    }

    /// Returns the bytes that a cell of a string or data column refers to.
    @inline(__always)
    func bytes(of cell: TextCell, _ column: Int) -> UnsafeRawBufferPointer {
        let length = cell.length
        if length <= TextCell.maximumInlineByteCount {
            return UnsafeRawBufferPointer(start: cell.address + 4, count: length)
        }
        if cell.isLarge { return largeBytes(column, cell.reference, prefix: cell.prefix) }
        return UnsafeRawBufferPointer(start: text(column) + cell.reference, count: length)
    }

    /// Returns the start of a column's text. The column's chunk, and with it the text node, must be
    /// loaded.
    @inline(__always)
    func text(_ column: Int) -> UnsafeMutableRawPointer {
        let word = textWord(slot(column))
        precondition(word != 0, "The text of a chunk isn't loaded.")
        return Cluster.rows(word)
    }

    /// Returns the word of a column's text node, or 0 if it has none or isn't loaded.
    @inline(__always)
    func textWord(_ slot: ColumnSlot) -> UInt {
        let place = slot.address + ClusterOffsets.a
        let word = loadWord(place)
        return word != 0 ? word : TransientLeaves.word(at: place) ?? 0
    }

    /// Returns the first row of a column's chunk, loading it if necessary.
    @inline(__always)
    func rows(_ column: Int) -> UnsafeMutableRawPointer { Cluster.rows(chunk(column)) }

    /// Returns the chunk word of a column, loading the chunk if necessary: its address, with log2
    /// of an integer's width in the low 6 bits. Rows begin at `Cluster.rows(word)`; only those
    /// below `rowCount` may be read.
    @inline(__always)
    func chunk(_ column: Int) -> UInt {
        let word = storedWord(column)
        return word != 0 ? word : resolveChunk(column)
    }

    /// Returns the first row of the chunk that a chunk word refers to.
    @inline(__always)
    static func rows(_ word: UInt) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(bitPattern: (word & ~63) &+ UInt(Node.headerByteCount))
            .unsafelyUnwrapped
    }

    /// Returns an integer of a chunk.
    @inline(__always)
    static func int(_ rows: UnsafeMutableRawPointer, _ row: Int, log2: Int) -> Int64 {
        switch log2 {
        case 0: Int64(rows.load(fromByteOffset: row, as: Int8.self))
        case 1: Int64(rows.load(fromByteOffset: row &<< 1, as: Int16.self))
        case 2: Int64(rows.load(fromByteOffset: row &<< 2, as: Int32.self))
        default: rows.load(fromByteOffset: row &<< 3, as: Int64.self)
        }
    }
}
