import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// The history of a realm: `Coordinator.history`, retention, `catchUp`.
@Suite(.timeLimit(.minutes(40)))
struct HistoryTests {
    private let disk = SimFileSystem()

    private func open(
        _ view: (any FileSystem)? = nil, _ change: (inout CoordinatorOptions) -> Void = { _ in }
    ) async throws -> Coordinator {
        try await openPeer("/sim", view ?? disk) { options in
            options.checkpoint.isOn = false
            options.checkpoint.minimumClosingByteCount = .max
            options.checkpoint.paceNanoseconds = 0
            options.store.nodesSlackByteCount = 8 << 10
            change(&options)
        }
    }

    private func names(_ prefix: String) -> [String] {
        disk.fileNames(in: "/sim").filter { $0.hasPrefix(prefix) }
    }

    @Test func everyVersionIsReadFromALogThatGoesBackToItsBeginning() async throws {
        let coordinator = try await open()
        for number in 0..<12 { try await insert(number, into: coordinator) }
        for version in 0...12 {
            let reader = try await coordinator.history(from: UInt64(version))
            expectEqual(numbers(reader.root), Array(0..<version))
            var found = version
            while let step = try await reader.next(through: 11) {
                found += 1
                expectEqual(step.root.version, UInt64(found))
                expectEqual(step.summary.version, UInt64(found))
                expectEqual(numbers(step.root), Array(0..<found))
                expectTrue(reader.root === step.root)
            }
            expectEqual(found, max(11, version))
            _ = try await reader.next(through: 100)
            expectEqual(reader.root.version, 12)
            expectEqual(reader.root.stateHash(), coordinator.published.stateHash())
            try await expectNil(reader.next(through: 100))
        }
        await coordinator.close()
    }

    @Test func aReaderGoesOnWithWhatIsPublishedLater() async throws {
        let coordinator = try await open()
        let peer = try await open(SimView(disk))
        try await insert(0, into: coordinator)
        let reader = try await coordinator.history(from: 1)
        try await expectNil(reader.next(through: .max))
        for number in 1..<200 {  // over several segments
            try await insert(number, into: number % 3 == 0 ? peer : coordinator)
            try await coordinator.catchUp()
            let step = try #require(try await reader.next(through: .max))
            expectEqual(step.summary.version, UInt64(number) + 1)
        }
        expectEqual(numbers(reader.root), Array(0..<200))
        expectTrue(names("log-").count > 1)
        await coordinator.close()
        await peer.close()
    }

    @Test func relaxedCommitsCount() async throws {
        let coordinator = try await open()
        let relaxed = Durability.relaxed(withinNanoseconds: 3_600_000_000_000)
        for number in 0..<5 { try await insert(number, into: coordinator, durability: relaxed) }
        let reader = try await coordinator.history(from: 2)
        try await expectEqual(reader.summaries(through: 5).map(\.version), [3, 4, 5])
        expectEqual(numbers(reader.root), Array(0..<5))
        await coordinator.close()
    }

    // Covers O34
    @Test func theOldestThatIsLeftIsTold() async throws {
        let coordinator = try await open()
        for number in 0..<180 { try await insert(number, into: coordinator) }
        for number in 180..<184 {  // a small segment begins after the first one
            try await checkpointNow(coordinator)
            try await insert(number, into: coordinator)
        }
        try await eventually { !names("log-").contains("log-0-0") }
        try await expectEqual(coordinator.history(from: 181).root.version, 181)
        do {
            _ = try await coordinator.history(from: 180)
            Issue.record("a trimmed version was returned")
        } catch let error as StoreError {
            expectEqual(error.code, .historyTrimmed)
            expectEqual(
                error.message,
                "Version 180 of the realm at /sim is no longer in its log: "
                    + "the oldest available version is 181.")
        }
        await expectEqual(
            storeErrorCode { try await coordinator.history(from: 185) }, .invalidInput)
        await coordinator.close()
        await expectEqual(storeErrorCode { try await coordinator.history(from: 184) }, .closed)
    }

    @Test func aRealmInMemoryHasNoPast() async throws {
        let options = CoordinatorOptions(place: .memory(identifier: "history"))
        let coordinator = try await Coordinator.open(options)
        try await insert(0, into: coordinator)
        await expectEqual(
            storeErrorCode { try await coordinator.history(from: 1) }, .historyTrimmed)
        try await coordinator.catchUp()
        await coordinator.close()
    }

    @Test func bulkCommitsHaveTheirSummaries() async throws {
        let coordinator = try await open()
        try await insert(0, into: coordinator)
        let first = try await insertInBulk(1..<40, into: coordinator)
        try await insert(40, into: coordinator)
        let traced = RecordedOrigin(label: "bulk", trace: "traceparent:1").text
        let second = try await insertInBulk(41..<50, into: coordinator, origin: traced)
        for number in 50..<60 { try await insert(number, into: coordinator) }
        for version in 1...13 {
            guard let reader = try? await coordinator.history(from: UInt64(version)) else {
                expectTrue(version < 2)
                continue
            }
            let summaries = try await reader.summaries(through: .max)
            expectTrue(summaries.map(\.version) == (version..<14).map { UInt64($0) + 1 })
            for bulk in [first, second] {
                guard let summary = summaries.first(where: { $0.version == bulk.root.version })
                else { continue }
                expectTrue(summary.tables == bulk.summary.tables && summary.origin == "bulk")
                expectEqual(summary.trace, bulk.root === second.root ? "traceparent:1" : nil)
            }
            expectEqual(numbers(reader.root), Array(0..<60))
            expectEqual(reader.root.stateHash(), coordinator.published.stateHash())
        }
        await coordinator.close()
    }

    @Test func aReaderThatFailedFailsAgain() async throws {
        let coordinator = try await open()
        try await insert(0, into: coordinator)
        try await insertInBulk(1..<40, into: coordinator)
        try await insert(40, into: coordinator)
        let reader = try await coordinator.history(from: 0)
        for name in names("nodes-") { disk.removeFile(name, in: "/sim") }
        try await expectEqual(reader.next(through: .max)?.summary.version, 1)
        for _ in 0..<2 {
            let code = await storeErrorCode { try await reader.next(through: .max) }
            expectEqual(code, .historyTrimmed)
        }
        await coordinator.close()
    }

    @Test func catchingUpHasWhatAnotherProcessPublished() async throws {
        let writer = try await open()
        let peer = try await open(SimView(disk))
        for number in 0..<50 {
            try await insert(number, into: writer)
            try await peer.catchUp()
            expectEqual(peer.published.version, UInt64(number) + 1)
        }
        try await writer.catchUp()
        await writer.close()
        await peer.close()
        await expectEqual(storeErrorCode { try await peer.catchUp() }, .closed)
        expectEqual(numbers(peer.published), Array(0..<50))
    }

    @Test func aCancelledReaderStops() async throws {
        let coordinator = try await open()
        for number in 0..<20 { try await insert(number, into: coordinator) }
        let reader = try await coordinator.history(from: 0)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await reader.next(through: .max)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        let other = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await coordinator.history(from: 3)
        }
        await #expect(throws: CancellationError.self) { try await other.value }
        try await expectEqual(reader.next(through: .max)?.summary.version, 1)
        await coordinator.close()
    }
}
