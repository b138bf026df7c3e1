import RegnumEngine
import RegnumStore
import Testing

/// What subscriptions get of the commits since they looked last.
@Suite(.timeLimit(.minutes(1)))
struct SummaryHistoryTests {
    /// A transaction that inserts one row into the class of that name.
    private func insertRow(_ name: String, into coordinator: Coordinator, origin: String)
        async throws
    {
        let turn = try await coordinator.beginWrite()
        let transaction = EngineTransaction(base: turn.base, origin: origin)
        let table =
            try transaction.schema.table(named: name)?.key
            ?? transaction.addTable(
                name: name, columns: [ColumnDefinition(name: "value", type: .int)])
        _ = try transaction.insert(table, [.int(0)])
        let commit = try transaction.commit(timestampMicroseconds: 0)
        try await coordinator.commit(turn, commit, durability: .full)
    }

    private func memory(_ name: String, byteCountMax: Int = 16 << 20) async throws -> Coordinator {
        var options = CoordinatorOptions(place: .memory(identifier: "SummaryHistoryTests.\(name)"))
        options.summaryByteCountMax = byteCountMax
        return try await Coordinator.open(options)
    }

    @Test func aClassThatNobodyWritesKeepsNoSummariesAndLosesNone() async throws {
        let coordinator = try await memory("quiet")
        let quiet = coordinator.subscribe(tableName: "Quiet")
        for _ in 0..<1000 { try await insertRow("Busy", into: coordinator, origin: "busy") }
        #expect(coordinator.statistics.keptSummaries < 200)
        try await insertRow("Quiet", into: coordinator, origin: "quiet")
        let summaries = try #require(quiet.summaries(after: 0, through: 1001))
        #expect(summaries.filter { $0.delta(tableName: "Quiet") != nil }.map(\.origin) == ["quiet"])
        await coordinator.close()
    }

    @Test func droppedCommitsOfTheClassAreAdmitted() async throws {
        let coordinator = try await memory("dropped", byteCountMax: 4096)
        let slow = coordinator.subscribe(tableName: "Busy")
        let other = coordinator.subscribe(tableName: nil)
        for _ in 0..<1000 { try await insertRow("Busy", into: coordinator, origin: "busy") }
        #expect(slow.summaries(after: 0, through: 1000) == nil)
        #expect(other.summaries(after: 0, through: 1000) == nil)
        #expect(slow.summaries(after: 999, through: 1000)?.count == 1)
        #expect(coordinator.statistics.keptSummaries > 0)
        await coordinator.close()
    }

    /// Commits that nobody was subscribed to are not taken for commits of other classes.
    @Test func commitsBeforeTheFirstSubscriptionAreUnknown() async throws {
        let coordinator = try await memory("unknown")
        try await insertRow("Busy", into: coordinator, origin: "before")
        let late = coordinator.subscribe(tableName: "Busy")
        try await insertRow("Busy", into: coordinator, origin: "after")
        #expect(late.summaries(after: 0, through: 2) == nil)
        #expect(late.summaries(after: 1, through: 2)?.map(\.origin) == ["after"])
        await coordinator.close()
    }

    @Test func nothingIsKeptWhenNobodyListens() async throws {
        let coordinator = try await memory("nobody")
        do {
            let subscription = coordinator.subscribe(tableName: nil)
            for _ in 0..<10 { try await insertRow("Busy", into: coordinator, origin: "a") }
            #expect(subscription.summaries(after: 0, through: 10)?.count == 10)
        }
        #expect(coordinator.statistics.keptSummaries == 0)
        #expect(coordinator.statistics.subscriptions == 0)
        await coordinator.close()
    }
}
