import RegnumStore
import RegnumTestSupport
import Testing

@testable import RegnumEngine

/// What the hub keeps for the queries that streams share.
struct MaintainedQueryTests {
    private func openRealm(_ name: String) async throws -> Coordinator {
        let coordinator = try await Coordinator.open(
            CoordinatorOptions(place: .memory(identifier: "MaintainedQueryTests.\(name)")))
        try await commit(coordinator) { transaction in
            let column = ColumnDefinition(name: "age", type: .int)
            _ = try transaction.addTable(name: "Person", columns: [column])
        }
        return coordinator
    }

    private func commit(
        _ coordinator: Coordinator, origin: String? = nil,
        _ body: (EngineTransaction) throws -> Void
    ) async throws {
        let turn = try await coordinator.beginWrite()
        let transaction = EngineTransaction(base: turn.base, origin: origin)
        try body(transaction)
        let commit = try transaction.commit(timestampMicroseconds: 0)
        _ = try await coordinator.commit(turn, commit, durability: .full)
        await coordinator.hub.catchUp()
    }

    // Covers O38
    @Test func queryKeepsNeitherVersionNorLabels() async throws {
        let coordinator = try await openRealm("version")
        let query = MaintainedQueries(coordinator).query(
            StreamQuery(QueryPlan(tableName: "Person"), filter: .deep(0)))
        let starts = coordinator.hub.state.withLock { state in
            state.entries.values.map { $0.start?.version }
        }
        expectEqual(starts, [nil])
        let before = try query.begin(at: coordinator.published)
        try await commit(coordinator, origin: "a") {
            _ = try $0.insert(TableKey(rawValue: 0), [.int(1)])
        }
        let labels = coordinator.hub.state.withLock { state in
            state.entries.values.flatMap { $0.origins.all }
        }
        expectEqual(labels, [])
        let after = try query.begin(at: coordinator.published)
        expectTrue(before.tree.isEmpty && after.tree.count == 1)
        await coordinator.close()
    }

    enum Asker: CaseIterable {
        case atTheVersion, behind, begins
    }

    /// The objects of a class aren't copied: results read from a root, which a reload replaces.
    @Test(arguments: Asker.allCases) func queryReleasesATreeThatAReloadReplaced(
        by asker: Asker
    ) async throws {
        let coordinator = try await openRealm("moved\(asker)")
        let query = MaintainedQueries(coordinator).query(
            StreamQuery(QueryPlan(tableName: "Person"), filter: .deep(0)))
        let start = coordinator.published
        let first = try query.begin(at: start)
        try await commit(coordinator) { _ = try $0.insert(TableKey(rawValue: 0), [.int(1)]) }
        let old = coordinator.published
        let step = VersionStep(from: start, to: old, summaries: nil)
        let (before, _) = try query.advance(first, step, since: start.version)
        expectTrue(before.tree.heldRoot === old)
        let new = DatabaseRoot(
            version: old.version, content: old.content, stamp: old.content.context.store.nextStamp()
        )
        _ = coordinator.hub.publish(new, [.moved(new)])
        coordinator.hub.process()
        let result: MaintainedResult
        switch asker {
        case .atTheVersion: result = try query.move(before, to: new)
        case .behind:
            let step = VersionStep(from: start, to: new, summaries: nil)
            let change: ResultChange
            (result, change) = try query.advance(first, step, since: start.version)
            expectEqual(change.insertions, [0])
        case .begins: result = try query.begin(at: new)
        }
        expectTrue(result.tree.heldRoot === new && result.tree.count == 1)
        try expectTrue(query.begin(at: new) === result)
        await coordinator.close()
    }
}
