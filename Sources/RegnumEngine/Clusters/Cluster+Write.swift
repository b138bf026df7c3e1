import RegnumStore

// Changes to the rows of a cluster that the edit owns.

extension Cluster {
    /// The address and width of a chunk's rows.
    struct Rows {
        var address: UnsafeMutableRawPointer
        var log2: Int
    }

    /// Returns the column's chunk, writable for a row below `rowCount`: a chunk that the edit owns,
    /// or any heap chunk if no other root shows the row.
    @inline(__always)
    func writableRows(_ column: Int, row: Int, edit: NodeEdit) -> Rows {
        let word = chunk(column)
        let chunk = Node(word: word & ~63).unsafelyUnwrapped
        if !edit.owns(chunk), row < frozenRows || chunk.isMapped {
            return copyChunk(column, word, edit: edit)
        }
        let slot = slot(column)
        slot.chunkExtent = 0
        return Rows(
            address: chunk.address + Node.headerByteCount, log2: log2(of: word, slot.type))
    }

    @inline(__always)
    func log2(of word: UInt, _ type: ValueType) -> Int {
        type == .int ? Int(word & 63) : type.widthLog2
    }

    /// Returns a copy of a chunk that the edit owns, with room for at least `rowCount` rows.
    @inline(never)
    func copyChunk(_ column: Int, _ word: UInt, rowCount: Int = 0, edit: NodeEdit) -> Rows {
        let slot = slot(column)
        // Only the zeros that replace a damaged chunk aren't stored.
        if slot.type.isText, storedWord(column) == 0 { discardText(column, edit: edit) }
        let log2 = log2(of: word, slot.type)
        let copy = Cluster.copyChunk(
            word, log2: log2, rowCount: max(rowCount, self.rowCount), edit: edit)
        slot.chunkExtent = 0
        slot.chunkCRC = 0
        setWord(column, copy.word | (word & 63))
        return Rows(address: copy.address + Node.headerByteCount, log2: log2)
    }

    static func copyChunk(_ word: UInt, log2: Int, rowCount: Int, edit: NodeEdit) -> Node {
        let chunk = Node(word: word & ~63).unsafelyUnwrapped
        let capacity = max(capacity(for: rowCount), capacity(of: chunk, log2))
        let copy = edit.copy(chunk, byteCount: Node.headerByteCount + capacity << log2)
        copy.count = 1 << log2
        return copy
    }

    /// Returns the capacity of a chunk in rows; 0 for an image.
    static func capacity(of chunk: Node, _ log2: Int) -> Int {
        chunk.isMapped ? 0 : (chunk.byteCount - Node.headerByteCount) >> log2
    }

    /// Replaces an integer chunk, of which the first `rowCount` rows are in use, with a wider one.
    @inline(never)
    func widen(_ column: Int, to log2: Int, rowCount: Int, edit: NodeEdit) -> Rows {
        let word = chunk(column)
        let old = Node(word: word & ~63).unsafelyUnwrapped
        let oldLog2 = Int(word & 63)
        let capacity = max(
            Cluster.capacity(for: max(rowCount, self.rowCount)), Cluster.capacity(of: old, oldLog2))
        let chunk = edit.make(.chunk, byteCount: Node.headerByteCount + capacity << log2)
        chunk.count = 1 << log2
        let from = old.address + Node.headerByteCount
        let to = chunk.address + Node.headerByteCount
        for row in 0..<rowCount {
            Cluster.store(Cluster.int(from, row, log2: oldLog2), to, row, log2: log2)
        }
        edit.retire(old)
        slot(column).chunkExtent = 0
        slot(column).chunkCRC = 0
        setWord(column, chunk.word | UInt(log2))
        return Rows(address: to, log2: log2)
    }

    @inline(__always)
    static func store(
        _ value: Int64, _ rows: UnsafeMutableRawPointer, _ row: Int, log2: Int
    ) {
        switch log2 {
        case 0:
            rows.storeBytes(
                of: Int8(truncatingIfNeeded: value), toByteOffset: row, as: Int8.self)
        case 1:
            rows.storeBytes(
                of: Int16(truncatingIfNeeded: value), toByteOffset: row &<< 1, as: Int16.self)
        case 2:
            rows.storeBytes(
                of: Int32(truncatingIfNeeded: value), toByteOffset: row &<< 2, as: Int32.self)
        default: rows.storeBytes(of: value, toByteOffset: row &<< 3, as: Int64.self)
        }
    }

    /// Returns whether an integer fits in rows of that width.
    @inline(__always)
    static func fits(_ value: Int64, log2: Int) -> Bool {
        let shift = Int64(truncatingIfNeeded: 64 &- (8 &<< log2))
        return (value &<< shift) &>> shift == value
    }

    @inline(__always)
    func setInt(_ value: Int64, row: Int, column: Int, edit: NodeEdit) {
        var rows = writableRows(column, row: row, edit: edit)
        if !Cluster.fits(value, log2: rows.log2) {
            rows = widen(
                column, to: Cluster.widthLog2(for: value), rowCount: rowCount, edit: edit)
        }
        Cluster.store(value, rows.address, row, log2: rows.log2)
        slot(column).include(value)
        setPresent(row, column)
    }

    @inline(__always)
    func setDouble(_ value: Double, row: Int, column: Int, edit: NodeEdit) {
        let rows = writableRows(column, row: row, edit: edit)
        rows.address.storeBytes(of: value, toByteOffset: row &<< 3, as: Double.self)
        slot(column).include(value)
        setPresent(row, column)
    }

    @inline(__always)
    func setBool(_ value: Bool, row: Int, column: Int, edit: NodeEdit) {
        let rows = writableRows(column, row: row, edit: edit)
        rows.address.storeBytes(of: value ? 1 : 0, toByteOffset: row, as: UInt8.self)
        setPresent(row, column)
    }

    /// Sets a string, data or any value.
    func setText(_ bytes: UnsafeRawBufferPointer, row: Int, column: Int, edit: NodeEdit) {
        let rows = writableRows(column, row: row, edit: edit)
        let cell = TextCell(rows.address + row << 4)
        dropText(cell, column, edit: edit)
        writeText(bytes, cell, column, isLastInOrder: false, edit: edit)
        setPresent(row, column)
        rewriteTextIfSparse(column, edit: edit)
    }

    func setBytes16(_ high: UInt64, _ low: UInt64, row: Int, column: Int, edit: NodeEdit) {
        let rows = writableRows(column, row: row, edit: edit)
        rows.address.storeBytes(of: high, toByteOffset: row << 4, as: UInt64.self)
        rows.address.storeBytes(of: low, toByteOffset: row << 4 + 8, as: UInt64.self)
        setPresent(row, column)
    }

    /// Sets an optional column to null.
    func setNull(row: Int, column: Int, edit: NodeEdit) {
        guard let bits = presence(column) else {
            preconditionFailure("A required property can't be set to null.")
        }
        let rows = writableRows(column, row: row, edit: edit)
        let slot = slot(column)
        if slot.type.isText { dropText(TextCell(rows.address + row << 4), column, edit: edit) }
        Cluster.clear(rows.address, row, log2: rows.log2)
        bits[row >> 6] &= ~(1 << UInt64(row & 63))
        slot.flags.insert(.mayHaveNull)
        if slot.type.isText { rewriteTextIfSparse(column, edit: edit) }
    }

    /// Sets a value of the column's type, or null.
    func setValue(_ value: Value, row: Int, column: Int, edit: NodeEdit) {
        switch value {
        case .null: setNull(row: row, column: column, edit: edit)
        case .bool(let x): setBool(x, row: row, column: column, edit: edit)
        case .int(let x): setInt(x, row: row, column: column, edit: edit)
        case .double(let x), .date(let x): setDouble(x, row: row, column: column, edit: edit)
        case .string(let x):
            withUTF8(x) { setText($0, row: row, column: column, edit: edit) }
        case .data(let x), .any(let x):
            x.withUnsafeBytes { setText($0, row: row, column: column, edit: edit) }
        case .uuid(let x): setBytes16(x.high, x.low, row: row, column: column, edit: edit)
        case .decimal(let x): setBytes16(x.high, x.low, row: row, column: column, edit: edit)
        case .objectId(let x):
            setBytes16(x.high, UInt64(x.low), row: row, column: column, edit: edit)
        }
    }

    @inline(__always)
    func setPresent(_ row: Int, _ column: Int) {
        if let bits = presence(column) { bits[row >> 6] |= 1 << UInt64(row & 63) }
    }

    @inline(__always)
    static func clear(_ rows: UnsafeMutableRawPointer, _ row: Int, log2: Int) {
        (rows + row &<< log2).initializeMemory(as: UInt8.self, repeating: 0, count: 1 &<< log2)
    }
}
