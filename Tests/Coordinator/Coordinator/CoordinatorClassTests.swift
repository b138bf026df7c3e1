import RegnumEngine
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// A realm with as many classes as it can have, in several processes, opened again and copied.
@Suite(.timeLimit(.minutes(40)), .enabled(if: Effort.isSoak)) struct CoordinatorClassTests {
    private let columns = [ColumnDefinition(name: "n", type: .int)]

    /// Adds a class with a row, in a record.
    private func add(_ name: String, to coordinator: Coordinator) async throws {
        let turn = try await coordinator.beginWrite()
        let transaction = EngineTransaction(base: turn.base)
        let table = try transaction.addTable(name: name, columns: columns)
        _ = try transaction.insert(table, [.int(1)])
        let commit = try transaction.commit(timestampMicroseconds: 0)
        expectTrue(!commit.body.isEmpty)
        try await coordinator.commit(turn, commit, durability: .full)
    }

    private func expectSame(
        _ coordinator: Coordinator, _ writer: Coordinator, _ place: String
    ) async throws {
        coordinator.hint()
        try await coordinator.waitUntil(version: writer.published.version)
        let (root, expected) = (coordinator.published, writer.published)
        expectEqual(root.schema.tables.count, expected.schema.tables.count, "\(place)")
        expectEqual(root.stateHash(), expected.stateHash(), "\(place)")
    }

    // Covers .invalidInput
    @Test func allClassesAreReadEverywhere() async throws {
        let (realm, copied) = (TemporaryRealm(), TemporaryRealm())
        let writer = try await openPeer(realm.path)
        let reader = try await openPeer(realm.path)
        let turn = try await writer.beginWrite()
        let transaction = EngineTransaction(base: turn.base)
        transaction.addClasses(Limits.maximumTableCount - 2)
        let bulk = try transaction.commit(timestampMicroseconds: 0)
        expectTrue(bulk.body.isEmpty)
        try await writer.commit(turn, bulk, durability: .full)
        try await expectSame(reader, writer, "after a bulk commit")
        for name in ["Next", "Last"] {
            try await add(name, to: writer)
            try await expectSame(reader, writer, name)
        }
        await reader.close()
        expectEqual(writer.published.schema.tables.count, Limits.maximumTableCount)
        let last = try await writer.beginWrite()
        let error = #expect(throws: StoreError.self) {
            try EngineTransaction(base: last.base).addTable(name: "New", columns: columns)
        }
        expectTrue(error?.code == .invalidInput && error?.className == "New")
        try await writer.abandon(last)
        try await RealmCopy(
            of: writer.published, writer.timelines, to: copied.path, writer.options
        ) { true }.make()
        let copy = try await openPeer(copied.path)
        try await expectSame(copy, writer, "in a backup")
        await copy.close()
        let root = writer.published
        await writer.close()
        let again = try await openPeer(realm.path)
        expectEqual(again.published.stateHash(), root.stateHash())
        await again.close()
    }
}
