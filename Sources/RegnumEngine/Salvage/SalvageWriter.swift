import RegnumStore

/// Writes what can be read of a damaged realm to a new one, batch by batch: first all rows, with
/// the links to rows that are there already; then the other links, and the lists; then it deletes
/// the rows whose owners were lost. Rows keep their keys.
///
/// Elements of collections come after all other rows: the values in a set can't be changed later.
///
/// Guard of the `@unchecked Sendable`: its user runs one job after the other, and waits for each.
final class SalvageWriter: @unchecked Sendable {
    private let source: SalvageSource
    private(set) var findings: SalvageFindings
    private let tables: [TableSchema]
    private var phase = Phase.rows
    /// The class to continue with, as a position in `tables`.
    private var position = 0
    /// The key from which the class continues.
    private var nextKey: UInt64 = 0
    /// The number of rows written, by class.
    private var insertedCounts: [Int]
    /// The properties to report if the row has an owner when all have theirs.
    private var undecidedCuts: [UndecidedCut] = []

    private struct UndecidedCut {
        let table: TableKey
        let row: UInt64
        let property: String
        let reason: SalvageFindings.Cut.Reason
    }

    private enum Phase { case rows, references, orphans, end }

    /// The size of a batch: rows, and approximate bytes.
    private static let maximumRowCount = 4_096
    private static let maximumByteCount = 1 << 20

    init(_ source: SalvageSource, _ findings: SalvageFindings) {
        self.source = source
        self.findings = findings
        tables =
            source.schema.tables.filter { $0.kind != .elements }
            + source.schema.tables.filter { $0.kind == .elements }
        insertedCounts = source.schema.tables.map { _ in 0 }
        self.findings.classes = source.schema.tables.map {
            SalvageFindings.ClassCounts(
                name: $0.name, kind: $0.kind, isDropped: $0.isDropped)
        }
    }

    /// Whether everything was written.
    var isAtEnd: Bool { phase == .end }

    /// Writes the next batch to a transaction on the new realm.
    func write(to transaction: EngineTransaction) throws(StoreError) {
        if transaction.schema.tables.isEmpty, !source.schema.tables.isEmpty {
            transaction.grow(to: source.schema)
        } else if transaction.schema.version < source.schema.version {
            transaction.setSchemaVersion(source.schema.version)
        }
        var rowCount = 0
        var byteCount = 0
        while !isAtEnd, rowCount < Self.maximumRowCount, byteCount < Self.maximumByteCount {
            guard position < tables.count else {
                goToNextPhase(transaction)
                continue
            }
            let table = tables[position]
            let (keys, next) = keys(of: table, transaction, limit: 256)
            nextKey = next ?? 0
            for (index, key) in keys.enumerated() {
                rowCount += 1
                byteCount += try write(table, key, to: transaction)
                if byteCount >= Self.maximumByteCount, index + 1 < keys.count {
                    nextKey = keys[index + 1]
                    return
                }
            }
            if next == nil { position += 1 }
        }
    }

    /// Counts what was saved, in the complete new realm.
    func finish(_ root: DatabaseRoot) -> SalvageFindings {
        for table in source.schema.tables {
            let count = root.count(table.key)
            findings.classes[table.key.index].savedCount = count
            findings.classes[table.key.index].uncertainCount = uncertainCount(table.key, root)
            guard table.kind == .embedded else { continue }
            findings.classes[table.key.index].lostCount += insertedCounts[table.key.index] - count
        }
        return findings
    }

    /// Returns the number of rows that commits that can't be read may have changed or deleted.
    private func uncertainCount(_ table: TableKey, _ root: DatabaseRoot) -> Int {
        if source.changes.gaps.isEmpty { return 0 }
        var count = 0
        root.content.table(table)?.forEachKey { key in
            if source.changes.isUncertain(table, key) { count += 1 }
            return true
        }
        return count
    }

    private func goToNextPhase(_ transaction: EngineTransaction) {
        if phase == .references {
            for cut in undecidedCuts {
                let table = source.schema.tables[cut.table.index]
                _ = addCut(table, cut.row, cut.property, cut.reason, transaction.content)
            }
            undecidedCuts = []
        }
        (position, nextKey) = (0, 0)
        phase =
            switch phase {
            case .rows: .references
            case .references: .orphans
            case .orphans, .end: .end
            }
    }

    /// Returns the next rows that the phase needs to visit.
    private func keys(
        of table: TableSchema, _ transaction: EngineTransaction, limit: Int
    ) -> (keys: [UInt64], next: UInt64?) {
        switch phase {
        case .rows: return source.rows(table.key, from: nextKey, limit: limit)
        case .references where !hasReferences(table): return ([], nil)
        case .orphans where !table.kind.isOwned: return ([], nil)
        case .references, .orphans, .end: break
        }
        let keys = transaction.keys(
            table.key, from: ObjectKey(rawValue: nextKey), limit: limit
        ).map(\.rawValue)
        return (keys, keys.count < limit ? nil : keys[limit - 1] + 1)
    }

    private func hasReferences(_ table: TableSchema) -> Bool {
        !table.lists.isEmpty
            || table.columns.contains { $0.linkTarget != nil || $0.type == .any }
    }

    /// Writes what the phase writes of a row. Returns its approximate size.
    private func write(
        _ table: TableSchema, _ key: UInt64, to transaction: EngineTransaction
    ) throws(StoreError) -> Int {
        switch phase {
        case .rows: return insert(table, key, transaction)
        case .references:
            var byteCount = try setLinks(table, key, transaction)
            for list in table.lists {
                byteCount += try fill(list, table, key, transaction)
            }
            return byteCount
        case .orphans:
            guard transaction.content.owner(table.key, key) == nil else { return 1 }
            transaction.delete(table.key, ObjectKey(rawValue: key))
            return 8
        case .end: return 0
        }
    }

    // MARK: Rows

    private func insert(
        _ table: TableSchema, _ key: UInt64, _ transaction: EngineTransaction
    ) -> Int {
        var values: [Value] = []
        values.reserveCapacity(table.columns.count)
        var byteCount = 8
        for column in table.columns {
            // A dropped property takes up space, which may be damaged, but has no values.
            let found =
                column.isDropped ? column.defaultValue : source.value(table.key, key, column)
            guard var value = found,
                table.rules[column.key.index].problem(with: value) == nil
            else {
                findings.addLost(table, source.keyText(table, key), column.name)
                return 8
            }
            if isLater(value, column, transaction.content) {
                if source.schema.orders(column.key, of: table) { return 8 }
                value = .null
            }
            byteCount += value.salvagedByteCount
            values.append(value)
        }
        if let primaryKey = table.primaryKey,
            let older = transaction.find(table.key, primaryKey: values[primaryKey.index])
        {
            // A commit that can't be read deleted it; otherwise, only a forged file has both.
            findings.addLost(table, source.keyText(table, older.rawValue), nil)
            transaction.delete(table.key, older)
        }
        transaction.insert(table.key, at: key, values)
        insertedCounts[table.key.index] += 1
        return byteCount
    }

    /// Returns whether a reference is set when all rows exist: to a row that doesn't exist yet, or
    /// may have an owner.
    private func isLater(
        _ value: Value, _ column: ColumnSchema, _ content: DatabaseContent
    ) -> Bool {
        let isOwner = column.linkTarget.map { source.schema.tables[$0.index].kind.isOwned }
        return isOwner ?? false || !canRefer(value, column, content)
    }

    /// Returns whether a column can have a value: not if it refers to a row that doesn't exist, or
    /// that has an owner already.
    private func canRefer(
        _ value: Value, _ column: ColumnSchema, _ content: DatabaseContent
    ) -> Bool {
        if let target = column.linkTarget {
            return value.linkedRow.map { content.problem(linking: $0, of: target) == nil } ?? true
        }
        return column.type != .any || content.isSound(value, of: column)
    }

    // MARK: References

    private func setLinks(
        _ table: TableSchema, _ key: UInt64, _ transaction: EngineTransaction
    ) throws(StoreError) -> Int {
        var byteCount = 1
        let row = ObjectKey(rawValue: key)
        for column in table.columns where column.linkTarget != nil || column.type == .any {
            guard let value = source.value(table.key, key, column), !value.isNull,
                transaction.value(table.key, row, column.key) != value
            else { continue }
            guard canRefer(value, column, transaction.content) else {
                cut(table, key, column.name, .missing, transaction)
                continue
            }
            try transaction.set(table.key, row, column.key, value)
            byteCount += 16
        }
        return byteCount
    }

    private func fill(
        _ list: ListSchema, _ table: TableSchema, _ key: UInt64,
        _ transaction: EngineTransaction
    ) throws(StoreError) -> Int {
        var found = source.list(table.key, key, list)
        if let items = table.column(ofItems: list), !found.rows.isEmpty || found.problem != nil {
            keepItems(&found, table, key, items)
        }
        let rows = referable(found.rows, list.target, transaction.content)
        if rows.count < found.rows.count, found.problem != .outdated { found.problem = .missing }
        var elements = rows.map { ObjectKey(rawValue: $0) }
        if found.problem != nil, let sorted = sorted(elements, of: list, table, key, transaction) {
            elements = sorted
            if found.problem == .unordered { found.problem = nil }
        }
        if let problem = found.problem { cut(table, key, list.name, problem, transaction) }
        if !elements.isEmpty {
            try transaction.insertIntoList(
                table.key, ObjectKey(rawValue: key), list.key, at: 0, elements)
        }
        return 1 + 8 * elements.count
    }

    /// Removes the elements of a list or dictionary in a value of any type if the value is no
    /// longer a collection, or was replaced after commits that can't be read.
    private func keepItems(
        _ found: inout StoredLists.Elements, _ table: TableSchema, _ key: UInt64,
        _ column: ColumnSchema
    ) {
        switch source.value(table.key, key, column)?.anyContent {
        case .list, .dictionary:
            if source.changes[table.key].replaced[column.key]?.contains(key) ?? false {
                found = StoredLists.Elements(problem: .missing)
            }
        default: found = StoredLists.Elements()
        }
    }

    /// Returns the elements of a set, map or dictionary in the order that these require; `nil` for
    /// a list.
    private func sorted(
        _ elements: [ObjectKey], of list: ListSchema, _ table: TableSchema, _ key: UInt64,
        _ transaction: EngineTransaction
    ) -> [ObjectKey]? {
        let column: ColumnKey
        switch list.kind {
        case .set:
            guard source.schema.tables[list.target.index].kind == .elements else {
                return Set(elements).sorted()
            }
            column = ColumnKey(rawValue: 0)
        case .map: column = ColumnKey(rawValue: 1)
        case .list:
            guard let items = table.column(ofItems: list),
                case .dictionary? = source.value(table.key, key, items)?.anyContent
            else { return nil }
            column = ColumnKey(rawValue: 1)
        }
        let values = elements.map { transaction.value(list.target, $0, column) ?? .null }
        return zip(elements, values).sorted { Value.compare($0.1, $1.1) < 0 }.map(\.0)
    }

    /// Returns the rows that exist, without those that have an owner already if the class is owned.
    private func referable(
        _ rows: [UInt64], _ target: TableKey, _ content: DatabaseContent
    ) -> [UInt64] {
        guard content.schema.tables[target.index].kind.isOwned else {
            return rows.filter { content[target.index].contains($0) }
        }
        var seen: Set<UInt64> = []
        return rows.filter {
            content.problem(linking: $0, of: target) == nil && seen.insert($0).inserted
        }
    }

    /// Reports a property. For an element of a collection, reports the collection of its owner.
    private func cut(
        _ table: TableSchema, _ key: UInt64, _ property: String,
        _ reason: SalvageFindings.Cut.Reason, _ transaction: EngineTransaction
    ) {
        if !addCut(table, key, property, reason, transaction.content) {
            undecidedCuts.append(
                UndecidedCut(table: table.key, row: key, property: property, reason: reason))
        }
    }

    /// Reports a property if the row has an owner or needs none. Returns whether that is so.
    private func addCut(
        _ table: TableSchema, _ key: UInt64, _ property: String,
        _ reason: SalvageFindings.Cut.Reason, _ content: DatabaseContent
    ) -> Bool {
        var (table, key, property) = (table, key, property)
        // Bounded, because rows of a forged file can own each other.
        for _ in 0...Limits.maximumAnyLevel where table.kind == .elements {
            guard let owner = content.owner(table.key, key) else { return false }
            let owners = source.schema.tables[owner.table.index]
            property = owners.lists.first { $0.target == table.key }?.name ?? property
            (table, key) = (owners, owner.row)
        }
        if table.kind == .elements { return false }
        guard !table.kind.isOwned || content.owner(table.key, key) != nil else { return false }
        findings.addCut(
            table, source.keyText(table, key), property.itemsProperty ?? property, reason)
        return true
    }
}

extension EngineTransaction {
    /// Adds all classes of a schema to a realm that has none. The transaction commits in bulk.
    fileprivate func grow(to schema: DatabaseSchema) {
        willEdit()
        insertions = []
        content.grow(to: schema, edit)
        for _ in schema.tables { changes.append(TableChanges(firstNewKey: 0)) }
        schemaChanges.append(.restructured)
    }

    /// Inserts a row under the class's next key or a later one. The values must be valid.
    fileprivate func insert(_ table: TableKey, at key: UInt64, _ values: [Value]) {
        willEdit()
        _ = content.insert(table.index, at: key, values, version: version, edit)
        changes[table.index].insertedCount += 1
    }
}

extension Value {
    /// The approximate size of the value in a record.
    fileprivate var salvagedByteCount: Int {
        switch self {
        case .string(let text): text.utf8.count + 2
        case .data(let bytes), .any(let bytes): bytes.count + 2
        default: 9
        }
    }
}
