import RegnumStore
import Synchronization

/// Appends rows to a table within one edit, writing each value directly into its chunk:
///
///     let row = appender.open(&table)
///     appender.putInt(0, 7)           // every column once: a place may hold old bytes
///     appender.putText(1, bytes)
///     let key = appender.close(version: version)
///
/// Caches the addresses of the tail cluster's chunks. `open` detects whether the edit was frozen or
/// the table changed otherwise, and reloads them. `open` discards a row that was opened but not
/// closed. The table must not be changed otherwise between `open` and `close`.
final class RowAppender {
    /// The cached state of a column.
    private struct Column {
        /// The first row of the chunk.
        var rows: UnsafeMutableRawPointer
        var slot: ColumnSlot
        var presence: UnsafeMutablePointer<UInt64>?
        var log2: Int
        /// The start of the text node, and its capacity in bytes.
        var text: UnsafeMutableRawPointer?
        var textCapacity: Int
        /// The last row that added long text, and `textUsed` before it.
        var textRow: Int
        var textUsedBefore: Int
    }

    let columns: [ColumnSchema]
    let edit: NodeEdit
    private let states: UnsafeMutablePointer<Column>
    @exclusivity(unchecked) private var table: Table
    @exclusivity(unchecked) private var cluster: Cluster
    /// The live counts in the inner nodes above the cluster.
    private let counts: UnsafeMutablePointer<UnsafeMutablePointer<UInt32>>
    @exclusivity(unchecked) private var countCount = 0
    /// 0 if nothing is cached.
    @exclusivity(unchecked) private var nonce: UInt64 = 0
    @exclusivity(unchecked) private var stamp: UInt64 = 0
    @exclusivity(unchecked) private var row = 0
    /// The number of rows for which every chunk has room.
    @exclusivity(unchecked) private var capacity = 0
    @exclusivity(unchecked) private var isOpen = false

    private static let lastNonce = Atomic<UInt64>(0)

    /// - Parameter columns: All columns of the class. When a column is added, create another
    ///   appender.
    init(_ table: Table, columns: [ColumnSchema], edit: NodeEdit) {
        self.columns = columns
        self.edit = edit
        self.table = table
        cluster = Cluster(table.node)
        states = .allocate(capacity: columns.count)
        counts = .allocate(capacity: Table.maximumHeight)
    }

    deinit {
        states.deallocate()
        counts.deallocate()
    }

    /// Opens a row after the last one and returns its position in the tail cluster.
    @inline(__always)
    func open(_ table: inout Table) -> Int {
        if nonce != 0, table.node == self.table.node, edit.stamp == stamp,
            table.appendNonce == nonce, !isOpen, row < capacity
        {
            isOpen = true
            return row
        }
        return openSlowly(&table)
    }

    @inline(never)
    private func openSlowly(_ table: inout Table) -> Int {
        let isCurrent =
            nonce != 0 && table.node == self.table.node && edit.stamp == stamp
            && table.appendNonce == nonce
        if isCurrent, isOpen { cancel() }
        let previous = isCurrent && row == rowsPerCluster ? cluster : nil
        cluster = table.openTail(columns, edit: edit)
        countCount = table.liveCounts(above: table.nextKey, counts)
        row = cluster.rowCount
        capacity = rowsPerCluster
        for index in 0..<columns.count {
            let word = cluster.storedWord(index)
            let slot = cluster.slot(index)
            let type = slot.type
            // `cancel` can't clear the bits of a row that was open when the edit was frozen
            if let bits = cluster.presence(index) { bits[row >> 6] &= ~(1 << UInt64(row & 63)) }
            if type.isText, row == 0, let previous {
                cluster.presizeText(index, previous.slot(index).textUsed, edit: edit)
            }
            (states + index).initialize(
                to: Column(
                    rows: Cluster.rows(word), slot: slot, presence: cluster.presence(index),
                    log2: cluster.log2(of: word, type), text: nil, textCapacity: 0, textRow: -1,
                    textUsedBefore: 0))
            let chunk = Node(word: word & ~63).unsafelyUnwrapped
            capacity = min(capacity, Cluster.capacity(of: chunk, states[index].log2))
            if type.isText { readText(index) }
        }
        nonce = RowAppender.lastNonce.add(1, ordering: .relaxed).newValue
        table.appendNonce = nonce
        self.table = table
        stamp = edit.stamp
        isOpen = true
        return row
    }

    private func readText(_ column: Int) {
        let slot = states[column].slot
        if let text = Node(word: slot.load(ClusterOffsets.a)), !text.isMapped {
            states[column].text = text.address + Node.headerByteCount
            states[column].textCapacity = text.byteCount - Node.headerByteCount
        } else {
            states[column].text = nil
            states[column].textCapacity = 0
        }
    }

    /// Discards the open row.
    func cancel() {
        guard isOpen else { return }
        isOpen = false
        let bit = (1 as UInt64) << UInt64(row & 63)
        for index in 0..<columns.count {
            if let bits = states[index].presence { bits[row >> 6] &= ~bit }
            guard states[index].slot.type.isText, states[index].textRow == row else { continue }
            let cell = TextCell(states[index].rows + row << 4)
            if cell.isLarge { cluster.dropText(cell, index, edit: edit) }
            states[index].slot.textUsed = states[index].textUsedBefore
            states[index].textRow = -1
        }
    }

    // MARK: Values of the open row

    @inline(__always)
    private func setPresent(_ column: Int) {
        if let bits = states[column].presence { bits[row >> 6] |= 1 << UInt64(row & 63) }
    }

    @inline(__always)
    func putInt(_ column: Int, _ value: Int64) {
        if !Cluster.fits(value, log2: states[column].log2) { widen(column, value) }
        Cluster.store(value, states[column].rows, row, log2: states[column].log2)
        states[column].slot.include(value)
        setPresent(column)
    }

    @inline(never)
    private func widen(_ column: Int, _ value: Int64) {
        let rows = cluster.widen(
            column, to: Cluster.widthLog2(for: value), rowCount: row, edit: edit)
        states[column].rows = rows.address
        states[column].log2 = rows.log2
    }

    /// Writes a double or date.
    @inline(__always)
    func putDouble(_ column: Int, _ value: Double) {
        states[column].rows.storeBytes(of: value, toByteOffset: row &<< 3, as: Double.self)
        states[column].slot.include(value)
        setPresent(column)
    }

    @inline(__always)
    func putBool(_ column: Int, _ value: Bool) {
        states[column].rows.storeBytes(of: value ? 1 : 0, toByteOffset: row, as: UInt8.self)
        setPresent(column)
    }

    /// Writes a UUID, a decimal, or an ObjectId with its lower 32 bits in `low`.
    @inline(__always)
    func putBytes16(_ column: Int, _ high: UInt64, _ low: UInt64) {
        let place = states[column].rows + row &<< 4
        place.storeBytes(of: high, as: UInt64.self)
        place.storeBytes(of: low, toByteOffset: 8, as: UInt64.self)
        setPresent(column)
    }

    /// Writes a string (well-formed UTF-8) or data.
    @inline(__always)
    func putText(_ column: Int, _ bytes: UnsafeRawBufferPointer) {
        let cell = TextCell(states[column].rows + row &<< 4)
        if bytes.count <= TextCell.maximumInlineByteCount {
            cell.setInline(bytes)
        } else {
            putLongText(column, cell, bytes)
        }
        setPresent(column)
    }

    @inline(__always)
    private func putLongText(
        _ column: Int, _ cell: TextCell, _ bytes: UnsafeRawBufferPointer
    ) {
        let slot = states[column].slot
        let used = slot.textUsed
        states[column].textRow = row
        states[column].textUsedBefore = used
        if bytes.count <= TextCell.maximumTextByteCount, let text = states[column].text,
            used &+ bytes.count <= states[column].textCapacity,
            let source = bytes.baseAddress
        {
            (text + used).copyMemory(from: source, byteCount: bytes.count)
            slot.textUsed = used &+ bytes.count
            slot.textExtent = 0
            cell.setReference(bytes, used, isLarge: false)
        } else {
            putTextSlowly(column, cell, bytes)
        }
    }

    @inline(never)
    private func putTextSlowly(
        _ column: Int, _ cell: TextCell, _ bytes: UnsafeRawBufferPointer
    ) {
        cluster.writeText(bytes, cell, column, isLastInOrder: true, edit: edit)
        readText(column)
    }

    /// Writes null to an optional column.
    @inline(__always)
    func putNull(_ column: Int) {
        Cluster.clear(states[column].rows, row, log2: states[column].log2)
        states[column].slot.flags.insert(.mayHaveNull)
    }

    /// Writes a value of the column's type, or null to an optional column.
    func put(_ column: Int, _ value: Value) {
        switch value {
        case .null: putNull(column)
        case .bool(let x): putBool(column, x)
        case .int(let x): putInt(column, x)
        case .double(let x), .date(let x): putDouble(column, x)
        case .string(let x): withUTF8(x) { putText(column, $0) }
        case .data(let x), .any(let x): x.withUnsafeBytes { putText(column, $0) }
        case .uuid(let x): putBytes16(column, x.high, x.low)
        case .decimal(let x): putBytes16(column, x.high, x.low)
        case .objectId(let x): putBytes16(column, x.high, UInt64(x.low))
        }
    }

    // MARK: Closing the row

    /// Adds the open row to the table and returns its key.
    @inline(__always)
    func close(version: UInt64) -> UInt64 {
        assert(isOpen, "A row must be opened before it is closed.")
        isOpen = false
        cluster.setVersion(version, row: row, edit: edit)
        cluster.live[row >> 6] |= 1 << UInt64(row & 63)
        cluster.rowCount = row &+ 1
        cluster.liveCount &+= 1
        for index in 0..<countCount { counts[index].pointee &+= 1 }
        row &+= 1
        table.count &+= 1
        let key = table.nextKey
        table.nextKey = key &+ 1
        return key
    }

    /// Appends a row with one value for each column. The caller must have validated the values.
    func append(_ values: [Value], to table: inout Table, version: UInt64) -> UInt64 {
        _ = open(&table)
        for index in columns.indices { put(index, values[index]) }
        return close(version: version)
    }
}
