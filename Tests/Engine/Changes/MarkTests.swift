import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Which rows count as modified in a step.
@Suite struct MarkTests {
    // Covers O18, O19, O22, O40
    @Test func marksFollowTheDefinition() throws {
        var generator = SeededRandom("MarkTests.marksFollowTheDefinition")
        var markCount = 0
        for _ in 0..<Effort.count(gate: 40, soak: 400) {
            var history = try MarkHistory(commitCount: 16, &generator)
            for _ in 0..<12 { try history.checkStep(&generator) }
            markCount += history.markCount
        }
        expectTrue(markCount > 1_000 || Effort.isReduced)
    }

    // MARK: Dependencies of filters

    private func schema() throws -> DatabaseSchema {
        var world = MarkWorld()
        world.begin()
        try world.addClasses()
        try world.addLateClass()
        _ = try world.commit()
        return world.root.schema
    }

    @Test func depthDependsOnTheClassesThatAreReached() throws {
        let schema = try schema()
        func names(_ depth: Int, _ name: String) -> Set<StoredText> {
            ChangeFilter.deep(depth).dependencies(of: name, in: schema)
        }
        expectEqual(names(3, "Lonely"), ["Lonely"])
        expectEqual(names(0, "Person"), ["Person", "Person.tags", "Person.pets"])
        expectEqual(
            names(1, "Person"),
            names(0, "Person")
                .union(["Dog", "Dog.nicks", "Address", "Address.notes", "Late"]))
        expectEqual(names(2, "Person"), names(1, "Person").union(["Toy"]))
        expectEqual(names(1, "Toy"), ["Toy", "Dog", "Dog.nicks"])
        expectEqual(
            names(2, "Toy"), ["Toy", "Dog", "Dog.nicks", "Person", "Person.tags", "Person.pets"])
        expectEqual(names(1, "Person.pets"), ["Person.pets", "Dog", "Dog.nicks"])
        expectEqual(names(3, "Person.tags"), ["Person.tags"])
        expectEqual(names(3, "Nobody"), ["Nobody"])
    }

    @Test func theClassItselfCountsAsLinkedOnlyIfItIsReached() throws {
        let schema = try schema()
        func names(_ depth: Int, _ name: String) -> Set<StoredText> {
            ChangeFilter.deep(depth).linkedDependencies(of: name, in: schema)
        }
        expectTrue(names(3, "Lonely").isEmpty)
        expectTrue(names(.max, "Lonely").isEmpty)
        expectEqual(names(0, "Person"), ["Person.tags", "Person.pets"])
        expectTrue(names(1, "Person").contains("Person"))  // its boss
        expectTrue(!names(1, "Dog").contains("Dog") && names(2, "Dog").contains("Dog"))
        let own = ChangeFilter.paths([ChangePath(last: .property("name"))])
        expectTrue(own.linkedDependencies(of: "Person", in: schema).isEmpty)
        expectEqual(own.dependencies(of: "Person", in: schema), ["Person"])
    }

    @Test func pathsDependOnTheClassesThatTheyLeadThrough() throws {
        let schema = try schema()
        func names(_ path: ChangePath) -> Set<StoredText> {
            ChangeFilter.paths([path]).linkedDependencies(of: "Person", in: schema)
        }
        let dogs = Hop.list("dogs", of: "Dog")
        expectEqual(names(ChangePath(last: .property("tags"))), ["Person.tags"])
        expectTrue(names(ChangePath(last: .property("dogs"))).isEmpty)
        expectEqual(names(ChangePath(hops: [dogs], last: .property("name"))), ["Dog"])
        expectEqual(
            names(ChangePath(hops: [dogs], last: .property("nicks"))), ["Dog", "Dog.nicks"])
        expectEqual(names(ChangePath(last: .backlinks(name: "owner", target: "Dog"))), ["Dog"])
        expectEqual(
            names(
                ChangePath(
                    hops: [.backlinks("owner", of: "Dog"), .link("toy", to: "Toy")],
                    last: .property("name"))), ["Dog", "Toy"])
        expectEqual(
            names(ChangePath(hops: [.link("cat", to: "Cat")], last: .property("name"))), ["Cat"])
    }

    // MARK: Great depths

    // Covers O18
    @Test(arguments: [999, 1_000_000, .max])
    func aGreatDepthReachesTheEndOfAChain(_ depth: Int) throws {
        let transaction = EngineTransaction(base: .empty)
        let name = ColumnDefinition(name: "name", type: .string)
        let node = try transaction.addTable(name: "Node", columns: [name])
        let lonely = try transaction.addTable(name: "Lonely", columns: [name])
        _ = try transaction.addColumn(node, .link(name: "next", to: node))
        _ = try transaction.insert(lonely, [])
        let first = try transaction.insert(node, [])
        var last = first
        for _ in 0..<999 {
            last = try transaction.insert(node, [.string(""), .int(Int64(last.rawValue))])
        }
        _ = try transaction.insert(node, [])  // leads to nothing
        let before = try transaction.commit(timestampMicroseconds: 1).root
        let edit = EngineTransaction(base: before)
        try edit.set(node, first, ColumnKey(rawValue: 0), .string("new"))
        let commit = try edit.commit(timestampMicroseconds: 2)
        func step() -> VersionStep {
            VersionStep(from: before, to: commit.root, summaries: [commit.summary])
        }
        expectEqual(step().marks("Node", .deep(depth)).rows.count, 1_000)
        let few = step().marks("Node", .deep(depth), among: [last], maximumFirstCount: 1)
        expectEqual(few.rows.keys.map { $0 }, [last])
        expectEqual(few[last]?.columns.columns, [ColumnKey(rawValue: 1)])
        expectTrue(step().marks("Lonely", .deep(depth)).isEmpty)
    }

    // MARK: Lists with unknown splices

    @Test func listsOfWhichTheSplicesAreNotKnownAreCompared() throws {
        let transaction = EngineTransaction(base: .empty)
        let node = try transaction.addTable(
            name: "Node", columns: [ColumnDefinition(name: "name", type: .string)])
        let list = try transaction.addList(node, name: "nodes", target: node)
        let rows = try (0..<20).map { _ in try transaction.insert(node, []) }
        try transaction.insertIntoList(node, rows[0], list, at: 0, Array(rows[1..<10]))
        let before = try transaction.commit(timestampMicroseconds: 1).root
        let edit = EngineTransaction(base: before)
        edit.removeFromList(node, rows[0], list, 2..<3)
        try edit.insertIntoList(node, rows[0], list, at: 5, [rows[15]])
        let commit = try edit.commit(timestampMicroseconds: 2)
        let delta = TableDelta(
            table: node, tableName: "Node", inserted: [], deleted: [], modified: [],
            listChanges: [list: [ListChange(row: rows[0], splices: nil)]])
        let summary = CommitSummary(
            version: commit.summary.version, origin: nil, tables: [node: delta])
        let step = VersionStep(from: before, to: commit.root, summaries: [summary])
        expectEqual(step.marks("Node", .deep(0))[rows[0]]?.lists, [list])
        let inverse = ChangePath(last: .backlinks(name: "nodes", target: "Node"))
        expectEqual(step.marks("Node", .paths([inverse])).rows.keys.sorted(), [rows[3], rows[15]])
    }
    // MARK: Names

    @Test func classesAreToldApartByTheBytesOfTheirNames() throws {
        let (one, two) = ("\u{E9}", "e\u{301}")
        let number = ColumnDefinition(name: "number", type: .int)
        let setup = EngineTransaction(base: .empty)
        let target = try setup.addTable(name: one, columns: [number])
        let origin = try setup.addTable(
            name: two, columns: [number, .link(name: "to", to: target)])
        let row = try setup.insert(target, [])
        let linking = try setup.insert(
            origin, [.int(0), .int(Int64(bitPattern: row.rawValue))])
        let base = try setup.commit(timestampMicroseconds: 1).root
        let plan = QueryPlan(tableName: two)
        let interest = StreamQuery(plan, filter: .deep(1)).interest(at: base)
        for (table, key) in [(target, row), (origin, linking)] {
            let edit = EngineTransaction(base: base)
            try edit.set(table, key, ColumnKey(rawValue: 0), .int(1))
            let commit = try edit.commit(timestampMicroseconds: 2)
            expectTrue(interest.holds(for: commit.summary, from: base, to: commit.root))
            let step = VersionStep(from: base, to: commit.root, summaries: [commit.summary])
            expectEqual(step.rows(one).modified.map(\.key), table == target ? [row] : [])
            expectEqual(step.rows(two).modified.map(\.key), table == origin ? [linking] : [])
            expectEqual(step.marks(two, .deep(1)).rows.keys.map { $0 }, [linking])
            let routes = [one, two].map { Route(tableName: $0, column: "number", value: .int(1)) }
            expectEqual(
                routes.map { step.delta($0).modified.count }, table == target ? [1, 0] : [0, 1])
        }
    }

    /// A property that isn't stored yet has its default in all rows, so that a condition on it can
    /// hold for every one of them.
    @Test func conditionsOnPropertiesThatAreNotStoredConcernAllRows() throws {
        let setup = EngineTransaction(base: .empty)
        let note = try setup.addTable(
            name: "Note", columns: [ColumnDefinition(name: "text", type: .string)])
        let row = try setup.insert(note, [.string("a")])
        let base = try setup.commit(timestampMicroseconds: 1).root
        let kind = ColumnReference(name: "kind", type: .string, missing: .string("plain"))
        let plan = QueryPlan(
            tableName: "Note", predicate: .compare(kind, .equal, .string("plain")))
        try expectEqual(plan.count(base), 1)
        let interest = StreamQuery(plan, filter: .deep(0)).interest(at: base)
        let transaction = EngineTransaction(base: base)
        transaction.delete(note, row)
        let commit = try transaction.commit(timestampMicroseconds: 2)
        try expectEqual(plan.count(commit.root), 0)
        expectTrue(interest.holds(for: commit.summary, from: base, to: commit.root))
    }

    /// Without its elements, their changes would be missed once the owner can be read again.
    @Test func aListWhoseOwnerCannotBeReadIsInterestedInAllElements() throws {
        let setup = EngineTransaction(base: .empty)
        let key = ColumnDefinition(name: "number", type: .int, isPrimaryKey: true)
        let album = try setup.addTable(name: "Album", columns: [key])
        let song = try setup.addTable(name: "Song", columns: [key])
        _ = try setup.addList(album, name: "songs", target: song)
        for number in 0..<300 { _ = try setup.insert(album, [.int(Int64(number))]) }
        let file = MemoryNodesFile()
        let checkpoint = try TestCheckpoint(
            setup.commit(timestampMicroseconds: 1).root, to: file)
        let owner = CollectionOwner(
            tableName: "Album", keyColumn: "number", key: .int(5), kind: .list, name: "songs")
        let query = StreamQuery(QueryPlan(tableName: "Song"), owner: owner, filter: .deep(0))
        let intact = try query.interest(at: checkpoint.load(from: file))
        expectTrue(!intact.terms.contains(.table("Song")))
        let root = try checkpoint.load(from: file)
        root.content.index(album, ColumnKey(rawValue: 0))?.forEachLeaf { leaf in
            file[Int(leaf.extent) + Node.headerByteCount] ^= 1
        }
        let interest = query.interest(at: root)
        expectTrue(root.damage != nil)
        expectTrue(interest.terms.contains(.table("Song")))
        expectEqual(interest.source, "Album")  // it may be read at a later version
    }
}
