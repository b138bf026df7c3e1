import Foundation
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// A table together with its expected content, and all versions that are still retained.
final class TableTrial {
    struct Row: Equatable {
        var values: [Value]
        var version: UInt64
    }

    struct Held {
        let stamp: UInt64
        let table: Table
        let rows: [UInt64: Row]
        let columns: [ColumnSchema]
        let nextKey: UInt64
    }

    let store = NodeStore()
    var columns: [ColumnSchema]
    var table: Table
    var rows: [UInt64: Row] = [:]
    var edit: NodeEdit?
    var appender: RowAppender?
    var version: UInt64 = 1
    var held: [Held] = []
    /// Retains the files of loaded tables.
    var sources: [NodeSource] = []
    /// The next key at the beginning of the edit, to which `setNextKey` may go back.
    var firstNewKey: UInt64 = 0

    init(columns: [ColumnSchema]) {
        self.columns = columns
        // A failed test reports its own failure; `end` checks for leaks.
        store.allowLeftNodes()
        guard let edit = store.beginEdit(on: nil) else {
            preconditionFailure("A new store allows an edit.")
        }
        table = Table.make(indexCount: 2, edit: edit)
        self.edit = edit
        commit()
    }

    deinit { abort() }

    static func column(
        _ index: Int, _ type: ValueType, isOptional: Bool, defaultValue: Value? = nil
    ) -> ColumnSchema {
        ColumnSchema(
            key: ColumnKey(rawValue: UInt16(index)),
            definition: ColumnDefinition(
                name: "c\(index)", type: type, isOptional: isOptional, defaultValue: defaultValue))
    }

    var currentEdit: NodeEdit {
        if let edit { return edit }
        guard let edit = store.beginEdit(on: held.last?.stamp) else {
            preconditionFailure("The newest root can be edited.")
        }
        self.edit = edit
        version += 1
        firstNewKey = table.nextKey
        return edit
    }

    func withAppender(_ body: (RowAppender, inout Table) -> Void) {
        let edit = currentEdit
        let appender: RowAppender
        if let known = self.appender, known.columns.count == columns.count, known.edit === edit {
            appender = known
        } else {
            appender = RowAppender(table, columns: columns, edit: edit)
            self.appender = appender
        }
        body(appender, &table)
    }

    func commit() {
        let edit = currentEdit
        hold(edit.freeze())
        store.finish(edit)
        self.edit = nil
        appender = nil
    }

    /// Retains the state in the middle of an edit.
    func hold(_ stamp: UInt64) {
        store.register(stamp: stamp, directory: table.node)
        held.append(
            Held(
                stamp: stamp, table: table, rows: rows, columns: columns,
                nextKey: table.nextKey))
    }

    /// Abandons the edit; the newest retained state becomes the current one again.
    func abort() {
        guard let edit else { return }
        // Roots from the middle of the edit are released first: otherwise the root before them
        // couldn't be edited.
        while let middle = held.last, middle.stamp >= edit.firstStamp { release(held.count - 1) }
        guard let last = held.last else { return }
        store.abort(edit, directory: table.node)
        self.edit = nil
        appender = nil
        table = last.table
        rows = last.rows
        columns = last.columns
    }

    func release(_ index: Int) {
        let gone = held.remove(at: index)
        store.release(stamp: gone.stamp)
    }

    func checkAll() throws {
        for held in held { try Self.check(held.table, held.rows, held.columns) }
        try Self.check(table, rows, columns)
    }

    /// Compares a table with its expected content, in every way of reading.
    static func check(_ table: Table, _ rows: [UInt64: Row], _ columns: [ColumnSchema]) throws {
        try #require(table.count == rows.count)
        var seen = 0
        var failure: String?
        var lastBase: UInt64?
        table.forEachCluster { cluster in
            if let lastBase, cluster.firstKey <= lastBase { failure = "clusters out of order" }
            lastBase = cluster.firstKey
            if cluster.liveCount == 0, cluster.firstKey != Table.base(table.nextKey) {
                failure = "an empty cluster"
            }
            var live = 0
            for row in 0..<rowsPerCluster where cluster.isLive(row) {
                live += 1
                if row >= cluster.rowCount { failure = "live beyond the rows" }
                let key = cluster.firstKey + UInt64(row)
                guard let expected = rows[key] else {
                    failure = "row \(key) should not be there"
                    return false
                }
                if cluster.contentVersion(row) != expected.version {
                    failure = "version of \(key): \(cluster.contentVersion(row))"
                }
                for column in columns {
                    let value = cluster.value(row, column)
                    let wanted = expected.values[column.key.index]
                    if value != wanted {
                        failure = "\(key).\(column.name): \(value) instead of \(wanted)"
                    }
                    if let problem = problem(of: wanted, in: cluster, column) {
                        failure = "\(key).\(column.name): \(problem)"
                    }
                }
                if seen % 97 == 0, table.key(at: seen) != key || table.position(of: key) != seen {
                    failure = "position of \(key)"
                }
                seen += 1
            }
            if live != cluster.liveCount { failure = "live count" }
            if let problem = textProblem(cluster) { failure = problem }
            return failure == nil
        }
        if let failure { throw TestFailure(failure) }
        try #require(seen == rows.count)
        try #require(table.lastKey() == rows.keys.max())
        try #require(table.firstKey(from: 0) == rows.keys.min())
    }

    /// Returns a problem if the bounds and flags of a column don't cover the value.
    private static func problem(
        of value: Value, in cluster: Cluster, _ column: ColumnSchema
    ) -> String? {
        guard column.key.index < cluster.slotCount else { return nil }
        let slot = cluster.slot(column.key.index)
        switch value {
        case .null: return slot.flags.contains(.mayHaveNull) ? nil : "null flag"
        case .int(let x):
            let (least, greatest): (Int64, Int64) = (slot.load(0), slot.load(8))
            return least <= x && x <= greatest && slot.flags.contains(.bounds) ? nil : "bounds"
        case .double(let x), .date(let x):
            if x.isNaN { return slot.flags.contains(.mayHaveNaN) ? nil : "NaN flag" }
            let (least, greatest): (Double, Double) = (slot.load(0), slot.load(8))
            return least <= x && x <= greatest ? nil : "bounds"
        default: return nil
        }
    }

    /// Returns a problem in the text of the cluster's columns, including deleted rows.
    private static func textProblem(_ cluster: Cluster) -> String? {
        for column in 0..<cluster.slotCount where cluster.slot(column).flags.contains(.text) {
            let slot = cluster.slot(column)
            var next = 0
            var used = 0
            for row in 0..<cluster.rowCount {
                let cell = TextCell(cluster.rows(column) + row << 4)
                if cell.isInline { continue }
                if cell.isLarge {
                    guard let list = LargeList(word: slot.load(ClusterOffsets.b)),
                        cell.reference < list.count, list.length(cell.reference) == cell.length
                    else { return "a cell without its large value" }
                    continue
                }
                if cell.reference + cell.length > slot.textUsed { return "text out of bounds" }
                if slot.flags.contains(.textInRowOrder), cell.reference != next {
                    return "text is not in row order: \(cell.reference), \(next)"
                }
                next = cell.reference + cell.length
                if cluster.isLive(row) { used += cell.length }
            }
            if slot.flags.contains(.textInRowOrder), next != slot.textUsed { return "a hole" }
            if slot.textUsed - slot.textDead > max(used, slot.textUsed) { return "dead text" }
        }
        return nil
    }

    /// Releases everything and asserts that no nodes are left.
    func end() throws {
        abort()
        while held.count > 1 { release(Int.random(in: 0..<held.count - 1)) }
        if let fault = NodeWalk.fault(in: store, directories: held.map(\.table.node)) {
            throw TestFailure(fault)
        }
        if let last = held.popLast() {
            store.release(stamp: last.stamp)
        }
        try #require(store.usage.nodeCount == 0)
    }
}

extension SeededRandom {
    /// Returns a value at the limits of a chunk or a text node.
    mutating func stored(_ type: ValueType, isOptional: Bool) -> Value {
        if isOptional, oneIn(4) { return .null }
        switch type {
        case .bool: return .bool(oneIn(2))
        case .int:
            let bits = [7, 7, 7, 7, 8, 15, 16, 31, 32, 63][below(oneIn(20) ? 10 : 5)]
            let edge = bits == 63 ? Int64.max : (1 << Int64(bits)) - 1
            return .int([0, edge, -edge - 1, edge / 2][below(4)])
        case .double: return .double([0, -0.0, .nan, .infinity, 1.5, -1e300][below(6)])
        case .date: return .date([0, -0.0, -.infinity, 1.5, 1e9][below(5)])
        case .string:
            return .string(String(decoding: bytes(isText: true), as: UTF8.self))
        case .data: return .data(bytes(isText: false))
        case .uuid: return .uuid(Identity128(high: next(), low: next()))
        case .objectId:
            return .objectId(ObjectIdBytes(high: next(), low: UInt32(truncatingIfNeeded: next())))
        case .decimal: return .decimal(DecimalBits(high: next(), low: next()))
        case .any: return .any(AnyContent.data(bytes(isText: false)).bytes)
        }
    }

    private mutating func bytes(isText: Bool) -> [UInt8] {
        let counts = [0, 1, 4, 5, 8, 11, 12, 13, 14, 40, 100]
        let large = [4095, 4096, 4097, 5000, 102_400]
        let count = oneIn(150) ? large[below(5)] : counts[below(counts.count)]
        let first = UInt8(truncatingIfNeeded: next())
        var bytes = [UInt8](repeating: isText ? first & 63 | 32 : first, count: count)
        if count > 2 {
            // Two bytes of UTF-8 at either end.
            bytes[0] = 0xC3
            bytes[1] = 0xA4
            if count > 4 {
                bytes[count - 2] = 0xC3
                bytes[count - 1] = 0xB6
            }
        }
        return bytes
    }
}

extension RowAppender {
    /// Appends a row under a key that isn't below the next one; keys in between are skipped.
    func append(
        _ values: [Value], at key: UInt64, to table: inout Table, version: UInt64
    ) {
        precondition(key >= table.nextKey, "Rows must be appended in the order of their keys.")
        if key != table.nextKey { table.setNextKey(key, edit: edit) }
        _ = append(values, to: &table, version: version)
    }
}

extension Table {
    /// Returns the smallest key of a live row that isn't below `key`.
    func firstKey(from key: UInt64) -> UInt64? {
        var found: UInt64?
        forEachKey(from: key) { key in
            found = key
            return false
        }
        return found
    }

    /// Appends one row. To append more than a few, keep a `RowAppender`.
    mutating func append(
        _ values: [Value], version: UInt64, columns: [ColumnSchema], edit: NodeEdit
    ) -> UInt64 {
        RowAppender(self, columns: columns, edit: edit)
            .append(values, to: &self, version: version)
    }

    /// Appends one row under a key that isn't below the next one.
    mutating func append(
        _ values: [Value], at key: UInt64, version: UInt64, columns: [ColumnSchema],
        edit: NodeEdit
    ) {
        RowAppender(self, columns: columns, edit: edit)
            .append(values, at: key, to: &self, version: version)
    }
}
