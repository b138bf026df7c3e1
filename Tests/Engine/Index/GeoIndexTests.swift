import Foundation
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Geospatial indexes through random changes, compared with a test of each point.
@Suite struct GeoIndexTests {
    // Covers 9.8, 9.11, 9.14
    @Test func indexesAgreeWithThePointsThroughRandomChanges() throws {
        for isIndexed in [true, false] {
            for _ in 0..<Effort.count(gate: 4, soak: 60) {
                var pins = try GeoPins(
                    SeededRandom("GeoIndexTests.randomChanges"), isIndexed: isIndexed)
                for round in 0..<30 {
                    let transaction = EngineTransaction(base: pins.root)
                    var changed = pins
                    try changed.change(transaction)
                    if round % 7 == 3 {
                        transaction.abort()
                    } else {
                        changed.root = try changed.commit(transaction)
                        pins = changed
                    }
                    try pins.check()
                }
            }
        }
    }

    // Covers 9.14
    @Test func checkpointsAreLoadedWithTheirGeospatialIndexes() throws {
        var pins = try GeoPins(SeededRandom("GeoIndexTests.checkpoints"))
        let file = MemoryNodesFile()
        for _ in 0..<Effort.count(gate: 6, soak: 60) {
            let transaction = EngineTransaction(base: pins.root)
            try pins.change(transaction, count: 300)
            pins.root = try pins.commit(transaction)
            let loaded = try TestCheckpoint(pins.root, to: file).load(from: file)
            expectEqual(loaded.stateHash(), pins.root.stateHash())
            expectEqual(loaded.schema.tables, pins.root.schema.tables)
            pins.root = loaded
            try pins.check()
            expectNil(loaded.damage)
        }
    }

    // Covers 9.14, 10.3
    @Test func indexesOfStoredRowsAreBuiltWhenTheyAreAdded() throws {
        var pins = try GeoPins(SeededRandom("GeoIndexTests.stored"), isIndexed: false)
        let rows = EngineTransaction(base: pins.root)
        while pins.pins.count < 300 { try pins.change(rows, count: 300) }
        pins.root = try pins.commit(rows)
        let growth = EngineTransaction(base: pins.root)
        try pins.change(growth)  // the record adds the index before these changes
        try growth.addGeoIndex(GeoPins.table, GeoPins.list)
        #expect(throws: StoreError.self) {
            try growth.addGeoIndex(GeoPins.table, GeoPins.list)
        }
        try pins.change(growth)
        pins.root = try pins.commit(growth)
        try pins.check()
        let index = try requireValue(index(of: pins.root))
        expectTrue(index.count > 50)
        // Migrations drop it, and the list with it.
        let without = EngineTransaction(base: pins.root)
        try without.setGeoIndexes(GeoPins.table, [])
        try pins.change(without)
        let dropped = try without.commit(timestampMicroseconds: 0).root
        expectNil(self.index(of: dropped))
        pins.root = dropped
        try pins.check()
        let again = EngineTransaction(base: dropped)
        try again.setGeoIndexes(GeoPins.table, [GeoPins.list])
        pins.root = try again.commit(timestampMicroseconds: 0).root
        expectTrue(self.index(of: pins.root) != nil)
        try pins.check()
        let end = EngineTransaction(base: pins.root)
        end.drop(GeoPins.table, GeoPins.list)
        let emptied = try end.commit(timestampMicroseconds: 0).root
        expectNil(self.index(of: emptied))
        try emptied.checkIntegrity { false }
    }

    private func index(of root: DatabaseRoot) -> IndexTree? {
        root.content.index(
            GeoPins.table, ColumnTree(pointsOf: GeoPins.list).column, .points)
    }

    // Covers 9.14
    @Test func otherProcessesFollowGeospatialIndexes() async throws {
        let disk = SimFileSystem(seed: SeededRandom("GeoIndexTests.processes").seed)
        let peers = [
            try await openPeer("/sim", disk), try await openPeer("/sim", SimView(disk)),
        ]
        var pins = try GeoPins(SeededRandom("GeoIndexTests.otherProcesses"))
        for round in 0..<12 {
            // Takes turns, so that each process applies the commits of the other.
            let peer = peers[round % 2]
            let turn = try await peer.beginWrite()
            let transaction = EngineTransaction(base: turn.base)
            if round == 0 {
                try GeoPins.addTables(transaction, isIndexed: true)
            } else {
                pins.root = turn.base
                try pins.check()
                try pins.change(transaction)
            }
            let commit = try transaction.commit(timestampMicroseconds: 0)
            _ = try await peer.commit(turn, commit, durability: .full)
        }
        pins.root = .makeEmpty()
        for peer in peers { await peer.close() }
        let reader = try await openPeer("/sim", SimView(disk))
        pins.root = reader.published
        try pins.check()
        pins.root = .makeEmpty()
        await reader.close()
    }

    /// 20,000 points, uniform on the sphere: a circle of radius r contains r^2 / 4 of them.
    // Covers 9.14
    @Test func onlyRowsNearTheAreaAreRead() throws {
        var random = SeededRandom(9)
        let transaction = EngineTransaction(base: .empty)
        try GeoPins.addTables(transaction, isIndexed: true)
        let count = 20_000
        for _ in 0..<count {
            let z = Double.random(in: -1...1, using: &random)
            let longitude = Double.random(in: -180...180, using: &random)
            let pin = GeoPins.Pin(
                type: "Point", coordinates: [longitude, asin(z) * 180 / .pi])
            _ = try GeoPins.insert(transaction, pin)
        }
        let root = try transaction.commit(timestampMicroseconds: 0).root
        for (latitude, longitude) in [(0.0, 0.0), (55, 12), (-80, 100), (10, 180), (90, 0)] {
            for (radius, isIndexed) in [(1e-6, true), (0.02, true), (0.1, true), (3, false)] {
                let center = GeoVector(latitude: latitude, longitude: longitude)
                let area = GeoArea(center: center, radius: radius, text: "")
                let plan = QueryPlan(
                    tableName: "Pin", predicate: .within(GeoPins.layout, area))
                var statistics = QueryStatistics()
                let found = try plan.evaluate(root, statistics: &statistics)
                let comment = "\(latitude), \(longitude), \(radius): \(statistics)"
                expectEqual(statistics.usedIndex, isIndexed, "\(comment)")
                if !isIndexed {
                    expectEqual(statistics.rowsEvaluated, count, "\(comment)")
                    continue
                }
                // a box around a circle near a pole is long
                let most = latitude == 90 ? 400 : 2 * found.count + 40
                expectEqual(statistics.rowsEvaluated <= most, true, "\(comment)")
                expectEqual(statistics.indexEntriesRead <= 1_500, true, "\(comment)")
            }
        }
    }

    /// Elements with two columns, which only forged files have: the index has the first one.
    // Covers 9.14
    @Test func indexOfAnotherColumnIsNotUsed() throws {
        let transaction = EngineTransaction(base: .empty)
        _ = try transaction.addTable(
            name: "Pin", columns: [ColumnDefinition(name: "type", type: .string)])
        _ = try transaction.addTable(
            name: "Pin.coordinates", kind: .elements,
            columns: ["other", "value"].map { ColumnDefinition(name: $0, type: .double) })
        _ = try transaction.addList(
            GeoPins.table, name: "coordinates", target: GeoPins.elements)
        try transaction.addGeoIndex(GeoPins.table, GeoPins.list)
        for number in 0..<100 {
            let row = try transaction.insert(GeoPins.table, [.string("Point")])
            let elements = [Double(number), 10, 0, 20].map { Value.double($0) }
            try transaction.insertIntoList(
                GeoPins.table, row, GeoPins.list, at: 0, newRows: elements, width: 2)
        }
        let root = try transaction.commit(timestampMicroseconds: 0).root
        let center = GeoVector(latitude: 20, longitude: 10)
        let area = GeoArea(center: center, radius: 0.01, text: "")
        let plan = QueryPlan(tableName: "Pin", predicate: .within(GeoPins.layout, area))
        try expectEqual(plan.evaluate(root).count, 100)
    }

    // Covers .invalidInput
    @Test func onlyListsOfDoublesHaveGeospatialIndexes() throws {
        let transaction = EngineTransaction(base: .empty)
        let table = try transaction.addTable(
            name: "A", columns: [ColumnDefinition(name: "n", type: .int)])
        let columns = [
            ColumnDefinition(name: "value", type: .int),
            ColumnDefinition(name: "value", scalar: .float),
            ColumnDefinition(name: "value", type: .string),
            ColumnDefinition(name: "value", type: .double),
            ColumnDefinition(name: "value", type: .double, isOptional: true),
        ]
        for (number, column) in columns.enumerated() {
            let elements = try transaction.addTable(
                name: "A.l\(number)", kind: .elements, columns: [column])
            let list = try transaction.addList(table, name: "l\(number)", target: elements)
            if number >= 3 {
                try transaction.addGeoIndex(table, list)
                continue
            }
            let error = #expect(throws: StoreError.self) {
                try transaction.addGeoIndex(table, list)
            }
            expectEqual(error?.code, .invalidInput)
            expectEqual(error?.property, "l\(number)")
        }
        let set = try transaction.addTable(
            name: "A.set", kind: .elements, columns: [columns[3]])
        let members = try transaction.addList(table, name: "set", target: set, kind: .set)
        let objects = try transaction.addList(table, name: "objects", target: table)
        for list in [members, objects, ListKey(rawValue: 99)] {
            #expect(throws: StoreError.self) { try transaction.addGeoIndex(table, list) }
        }
        _ = try transaction.insert(table, [.int(1)])
        try commitAndReplay(transaction).root.checkIntegrity { false }
    }
}
