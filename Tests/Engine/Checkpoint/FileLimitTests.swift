import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Readers of records and images accept exactly what writers may write.
@Suite struct FileLimitTests {

    /// Returns a value of maximum size, plus `excess` bytes.
    private static func value(_ type: ValueType, _ kind: AnyKind, excess: Int) -> Value {
        switch type {
        case .string: .string(text(Limits.maximumStringByteCount + excess))
        case .data: .data([UInt8](repeating: 1, count: Limits.maximumDataByteCount + excess))
        default:
            kind == .string
                ? AnyContent.string(text(Limits.maximumStringByteCount + excess)).value
                : AnyContent.data(
                    [UInt8](repeating: 1, count: Limits.maximumDataByteCount + excess)
                )
                .value
        }
    }

    private static func text(_ count: Int) -> String { longText(count) }

    private static let kinds: [(type: ValueType, kind: AnyKind)] = [
        (.string, .string), (.data, .data), (.any, .string), (.any, .data),
    ]

    private func column(_ type: ValueType) -> ColumnDefinition {
        ColumnDefinition(
            name: "v", type: type, isOptional: type == .any, isIndexed: type == .any,
            defaultValue: type == .any ? .null : type.zero)
    }

    private func base(_ type: ValueType) throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .empty)
        _ = try transaction.addTable(name: "A", columns: [column(type)])
        return try transaction.commit(timestampMicroseconds: 0).root
    }

    @Test(arguments: kinds.indices) func valuesInRecords(_ index: Int) throws {
        let (type, kind) = Self.kinds[index]
        let base = try base(type)
        for excess in [-1, 0, 1] {
            let value = Self.value(type, kind, excess: excess)
            var writer = RecordWriter(capacity: Limits.maximumAnyByteCount + 100)
            writer.fixed(base.version + 1)
            writer.fixed(0 as Int64)
            writer.varint(0)
            writer.byte(CommitRecord.Operation.insert.rawValue)
            writer.varint(0)
            KeyRuns.encode([ObjectKey(rawValue: 0)], &writer)
            writer.varint(1)
            ColumnBlock.encode(value, &writer)
            // A string of any type may have as many bytes as data.
            let isLegal = excess <= 0 || (type == .any && kind == .string)
            let table = TableKey(rawValue: 0)
            if isLegal {
                let root = try CommitRecord.apply(writer.bytes, to: base).root
                expectEqual(
                    root.value(table, ObjectKey(rawValue: 0), ColumnKey(rawValue: 0)), value)
            } else {
                let error = #expect(throws: StoreError.self) {
                    try CommitRecord.apply(writer.bytes, to: base)
                }
                expectEqual(error?.code, .invalidDatabase)
            }
        }
    }

    @Test(arguments: kinds.indices) func valuesInImages(_ index: Int) throws {
        let (type, kind) = Self.kinds[index]
        for excess in [-1, 0, 1] {
            let base = try base(type)
            let value = Self.value(type, kind, excess: excess)
            let (start, edit) = base.content.edited(on: base.stamp)
            var content = start
            let key = content.insert(0, [value], version: base.version + 1, edit)
            let root = DatabaseRoot(
                version: base.version + 1, content: content, stamp: edit.nodes.stamp)
            edit.nodes.store.finish(edit.nodes)
            let file = MemoryNodesFile()
            let checkpoint = try TestCheckpoint(root, to: file)
            let isLegal = excess <= 0 || (type == .any && kind == .string)
            if isLegal {
                let loaded = try checkpoint.load(from: file)
                expectEqual(
                    loaded.value(
                        TableKey(rawValue: 0), ObjectKey(rawValue: key), ColumnKey(rawValue: 0)),
                    value)
                expectNil(loaded.damage)
            } else {
                let error = #expect(throws: StoreError.self) { try checkpoint.load(from: file) }
                expectEqual(error?.code, .invalidDatabase)
            }
        }
    }

    @Test(arguments: kinds.indices) func valuesOfRowsAndProperties(_ index: Int) throws {
        let (type, kind) = Self.kinds[index]
        let transaction = EngineTransaction(base: try base(type))
        let table = TableKey(rawValue: 0)
        let key = try transaction.insert(table, [Self.value(type, kind, excess: 0)])
        let long = Self.value(type, kind, excess: 1)
        let insertion = transaction.insertion(table)
        let calls: [() throws -> Void] = [
            { _ = try transaction.insert(table, [long]) },
            { try transaction.set(table, key, ColumnKey(rawValue: 0), long) },
            {
                insertion.begin()
                insertion.put(long, 0)
                _ = try insertion.end()
            },
        ]
        for call in calls {
            let error = #expect(throws: StoreError.self) { try call() }
            expectTrue(error?.code == .invalidValue && error?.property == "v")
            let limit =
                kind == .string ? Limits.maximumStringByteCount : Limits.maximumDataByteCount
            expectEqual(error?.message.contains("\(limit)"), true)
        }
        expectEqual(transaction.count(table), 1)
    }

    // Covers .invalidInput, .invalidDatabase
    @Test func numberOfClasses() throws {
        let columns = [ColumnDefinition(name: "n", type: .int)]
        let first = EngineTransaction(base: .empty)
        first.addClasses(Limits.maximumTableCount - 1)
        let most = try first.commit(timestampMicroseconds: 0)
        let file = MemoryNodesFile()
        let loaded = try TestCheckpoint(most.root, to: file).load(from: file)
        let last = EngineTransaction(base: most.root)
        _ = try last.insert(try last.addTable(name: "Last", columns: columns), [.int(1)])
        let error = #expect(throws: StoreError.self) {
            try last.addTable(name: "New", columns: columns)
        }
        expectTrue(error?.code == .invalidInput && error?.className == "New")
        expectEqual(error?.message.contains("\(Limits.maximumTableCount)"), true)
        let commit = try last.commit(timestampMicroseconds: 0)
        let applied = try CommitRecord.apply(commit.body, to: loaded).root
        var checkpoint = try TestCheckpoint(applied, to: file)
        for root in [applied, try checkpoint.load(from: file)] {
            expectEqual(root.schema.tables.count, Limits.maximumTableCount)
            expectEqual(root.stateHash(), commit.root.stateHash())
        }
        var writer = CommitRecord.begin(commit.root.version + 1, 0, nil)
        CommitRecord.begin(.addTable, TableKey(rawValue: UInt32(Limits.maximumTableCount)), &writer)
        writer.string("New")
        writer.byte(TableKind.object.rawValue)
        writer.varint(0)
        let record = #expect(throws: StoreError.self) {
            try CommitRecord.apply(writer.bytes, to: applied)
        }
        expectEqual(record?.code, .invalidDatabase)
        // the number of classes, which was 65,536
        file[checkpoint.directory.lowerBound + 28] = 1
        try checkpoint.fixChecksum(in: file)
        let image = #expect(throws: StoreError.self) { try checkpoint.load(from: file) }
        expectEqual(image?.code, .invalidDatabase)
        expectEqual(image?.message.contains("the number of classes is too large"), true)
    }

    // Covers .invalidInput
    @Test func numberOfProperties() throws {
        let columns = (0...Limits.maximumColumnCount).map {
            ColumnDefinition(name: "c\($0)", type: .bool)
        }
        let transaction = EngineTransaction(base: .empty)
        #expect(throws: StoreError.self) {
            try transaction.addTable(name: "A", columns: columns)
        }
        let table = try transaction.addTable(name: "A", columns: columns.dropLast())
        let error = #expect(throws: StoreError.self) {
            try transaction.addColumn(table, columns[Limits.maximumColumnCount])
        }
        expectTrue(error?.code == .invalidInput && error?.className == "A")
        expectEqual(error?.message.contains("\(Limits.maximumColumnCount)"), true)
        let row = (0..<Limits.maximumColumnCount).map { Value.bool($0 % 3 == 0) }
        let key = try transaction.insert(table, row)
        let commit = try transaction.commit(timestampMicroseconds: 0)
        let applied = try CommitRecord.apply(
            commit.body, to: .makeEmpty(realmID: commit.root.identity))
        let file = MemoryNodesFile()
        let loaded = try TestCheckpoint(commit.root, to: file).load(from: file)
        for root in [applied.root, loaded] {
            expectEqual(root.schema.tables, commit.root.schema.tables)
            let values = row.indices.map {
                root.value(table, key, ColumnKey(rawValue: UInt16($0)))
            }
            expectTrue(values == row)
        }
    }

    /// Returns a class with a column that has no index, after others that have one, and with lists
    /// of its own objects.
    private func table(indexCount: Int, listCount: Int = 0) -> TableSchema {
        TableSchema(
            key: TableKey(rawValue: 0), name: "A", kind: .object,
            columns: (0...indexCount).map {
                ColumnSchema(
                    key: ColumnKey(rawValue: UInt16($0)),
                    definition: ColumnDefinition(
                        name: "c\($0)", type: .int, isIndexed: $0 < indexCount))
            },
            lists: (0..<listCount).map {
                ListSchema(
                    key: ListKey(rawValue: UInt16($0)), name: "l\($0)",
                    target: TableKey(rawValue: 0), kind: .list)
            })
    }

    // Covers .invalidInput
    @Test func numberOfIndexesAndLists() throws {
        let most = Limits.maximumTreeCount
        for (indexCount, listCount) in [(most - 3, 0), (1, most / 2 - 1)] {
            for excess in 0...3 {
                let table = table(indexCount: indexCount + excess, listCount: listCount)
                let left = most - indexCount - excess - 2 * listCount
                let column = ColumnKey(rawValue: UInt16(indexCount + excess))
                let adding: [(Int, () throws -> Void)] = [
                    (1, { try SchemaRules.check(newIndex: column, of: table) }),
                    (
                        2,
                        {
                            try SchemaRules.check(
                                newList: "new", target: TableKey(rawValue: 0), .list, of: table,
                                in: [table])
                        }
                    ),
                ]
                for (count, add) in adding where indexCount + excess < Limits.maximumColumnCount {
                    if count <= left {
                        try add()
                        continue
                    }
                    let error = #expect(throws: StoreError.self) { try add() }
                    expectTrue(error?.code == .invalidInput && error?.className == "A")
                    expectEqual(error?.message.contains("\(most)"), true)
                }
            }
        }
        for excess in [0, 1] {
            let schema = DatabaseSchema(
                tables: [table(indexCount: 0, listCount: most / 2 + excess)], version: 0)
            let image = SchemaImage.encode(schema)
            if excess == 0 {
                try expectEqual(SchemaImage.decode(image, tableCount: 1).tables, schema.tables)
            } else {
                let error = #expect(throws: StoreError.self) {
                    try SchemaImage.decode(image, tableCount: 1)
                }
                expectEqual(error?.code, .invalidDatabase)
            }
        }
    }

    /// A migration adds indexes together.
    // Covers .invalidInput
    @Test func numberOfIndexesAddedTogether() throws {
        let columns = (0..<Limits.maximumColumnCount).map {
            ColumnDefinition(name: "c\($0)", type: .int, isIndexed: $0 >= 4)
        }
        let transaction = EngineTransaction(base: .empty)
        let table = try transaction.addTable(name: "A", columns: columns)
        _ = try transaction.addList(table, name: "list", target: table)
        func setKeys(_ count: UInt16) throws {
            let indexed = (4 - count..<UInt16(Limits.maximumColumnCount)).map(
                ColumnKey.init(rawValue:))
            try transaction.setKeys(table, primaryKey: nil, indexed: Set(indexed))
        }
        let error = #expect(throws: StoreError.self) { try setKeys(3) }
        expectTrue(error?.code == .invalidInput && error?.className == "A")
        expectEqual(error?.message.contains("\(Limits.maximumTreeCount)"), true)
        try setKeys(2)
        let commit = try transaction.commit(timestampMicroseconds: 0)
        let file = MemoryNodesFile()
        let loaded = try TestCheckpoint(commit.root, to: file).load(from: file)
        expectEqual(loaded.schema.tables, commit.root.schema.tables)
    }

    /// The counts are made up: so many rows or elements would take more than 100 GB.
    // Covers .invalidInput, .invalidDatabase
    @Test func numberOfRowsAndElements() throws {
        let table = TableKey(rawValue: 0)
        let first = EngineTransaction(base: .empty)
        _ = try first.addTable(name: "A", columns: [ColumnDefinition(name: "n", type: .int)])
        let list = try first.addList(table, name: "list", target: table)
        let row = try first.insert(table, [.int(1)])
        try first.insertIntoList(table, row, list, at: 0, [row])
        let base = try first.commit(timestampMicroseconds: 0)
        func change() throws -> EngineTransaction {
            let transaction = EngineTransaction(base: base.root)
            let other = try transaction.insert(table, [.int(2)])
            try transaction.insertIntoList(table, row, list, at: 0, [other])
            return transaction
        }
        let next = try change().commit(timestampMicroseconds: 0)
        for isList in [false, true] {
            for (count, isKept) in [
                (Limits.maximumEntryCount, true), (Limits.maximumEntryCount + 1, false),
            ] {
                let transaction = try change()
                let own = transaction.content.ownTable(table.index, transaction.edit.nodes)
                fake(count, in: own, isList: isList)
                expectEqual(transaction.content.isCountable(table.index), isKept)
                if isKept { continue }
                let error = #expect(throws: StoreError.self) {
                    _ = try transaction.commit(timestampMicroseconds: 0)
                }
                expectTrue(error?.code == .invalidInput && error?.className == "A")
                expectEqual(error?.message.contains("\(Limits.maximumEntryCount)"), true)
            }
            let applied = try CommitRecord.apply(
                base.body, to: .makeEmpty(realmID: base.root.identity)
            ).root
            fake(Limits.maximumEntryCount, in: applied.content[table.index], isList: isList)
            let error = #expect(throws: StoreError.self) {
                _ = try CommitRecord.apply(next.body, to: applied)
            }
            expectEqual(error?.code, .invalidDatabase)
        }
    }

    private func fake(_ count: Int, in table: Table, isList: Bool) {
        guard isList else {
            table.count = count
            return
        }
        let slot = table.listSlot(0)
        var tree = table.index(at: slot)
        tree.count = count
        table.setIndex(tree, at: slot)
    }

    // Covers 4.11, .invalidInput
    @Test func originsInRecords() throws {
        for count in [Limits.maximumOriginByteCount - 1, Limits.maximumOriginByteCount] {
            for maximumBodyByteCount in [16, Limits.maximumRecordBodyByteCount] {
                let transaction = EngineTransaction(base: .empty, origin: Self.text(count))
                _ = try transaction.addTable(name: "A", columns: [column(.string)])
                let commit = try transaction.commit(
                    timestampMicroseconds: 0, maximumBodyByteCount: maximumBodyByteCount)
                expectEqual(commit.summary.origin?.utf8.count, count)
                guard commit.bulk == nil else { continue }
                let base = DatabaseRoot.makeEmpty(realmID: commit.root.identity)
                let summary = try CommitRecord.apply(commit.body, to: base).summary
                expectEqual(summary.origin, commit.summary.origin)
            }
        }
        let transaction = EngineTransaction(
            base: .empty, origin: Self.text(Limits.maximumOriginByteCount + 1))
        _ = try transaction.addTable(name: "A", columns: [column(.string)])
        let error = #expect(throws: StoreError.self) {
            try transaction.commit(timestampMicroseconds: 0)
        }
        expectEqual(error?.code, .invalidInput)
        expectEqual(error?.message.contains("\(Limits.maximumOriginByteCount)"), true)
    }
}
