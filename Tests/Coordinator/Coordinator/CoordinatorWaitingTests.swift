import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Waiting writers: what they cost, who is named in reports, and that other realms aren't delayed.
@Suite(.timeLimit(.minutes(40)))
struct CoordinatorWaitingTests {
    // Covers 5.41
    @Test func manyWaitersCostLittleEach() async throws {
        let count = Effort.count(gate: 2_000, soak: 10_000)
        let coordinator = try await Coordinator.open(
            CoordinatorOptions(place: .memory(identifier: "CoordinatorWaitingTests")))
        let turn = try await coordinator.beginWrite()
        let waiters = (0..<count).map { number in
            Task {
                let turn = try await coordinator.beginWrite(
                    timeoutNanoseconds: 3_600_000_000_000 + UInt64(number * 7919 % count)
                        * 1_000_000)
                try await coordinator.abandon(turn)
            }
        }
        try await eventually { coordinator.state.withLock { $0.waiters.count } == count }
        // From the end, where each would have to scan all waiters before it.
        for waiter in waiters.reversed().prefix(count / 2) { waiter.cancel() }
        try await eventually {
            coordinator.state.withLock { $0.waiters.count } == count - count / 2
        }
        let steps = coordinator.state.withLock { $0.waiters.stepCount }
        expectTrue(steps < count * 40, "logarithmic cost per waiter")
        try await coordinator.abandon(turn)
        var endedCount = 0
        for waiter in waiters where (try? await waiter.value) != nil { endedCount += 1 }
        expectEqual(endedCount, count - count / 2)
        await coordinator.close()
    }

    @Test func anEarlierDeadlineThatComesLaterIsKept() async throws {
        let coordinator = try await Coordinator.open(
            CoordinatorOptions(place: .memory(identifier: "CoordinatorWaitingTests.deadline")))
        let turn = try await coordinator.beginWrite()
        let patient = Task {
            try await coordinator.beginWrite(timeoutNanoseconds: 3_600_000_000_000)
        }
        try await eventually { coordinator.state.withLock { $0.waiters.count } == 1 }
        let code = await storeErrorCode {
            try await coordinator.beginWrite(timeoutNanoseconds: 1_000_000)
        }
        expectEqual(code, .busy)
        try await coordinator.abandon(turn)
        try await coordinator.abandon(try await patient.value)
        await coordinator.close()
    }

    // Covers .busy
    @Test func aLongWaitIsReportedWithWhoHasTheTurn() async throws {
        let notices = Guarded<[WaitNotice]>([])
        let disk = SimFileSystem()
        let change: (inout CoordinatorOptions) -> Void = { options in
            options.waitNoticeNanoseconds = 1_000_000
            options.report = { event in
                guard case .waiting(let notice) = event else { return }
                notices.withLock { $0.append(notice) }
            }
        }
        let coordinator = try await openPeer("/sim", disk, change)
        let holder = CallPlace(file: "Chat/Rooms.swift", line: 12)
        let place = CallPlace(file: "Chat/Names.swift", line: 7)
        let turn = try await coordinator.beginWrite(place: holder)
        let waiter = Task {
            try await coordinator.abandon(try await coordinator.beginWrite(place: place))
        }
        try await eventually { notices.withLock { !$0.isEmpty } }
        let first = try requireValue(notices.withLock { $0.first })
        expectTrue(first.holder == .body(holder) && first.place == place && first.waiterCount == 1)
        expectTrue(first.message.contains("The write at Chat/Names.swift:7 has been waiting"))
        expectTrue(first.message.contains("for the write at Chat/Rooms.swift:12 in this process"))
        let error = await #expect(throws: StoreError.self) {
            try await coordinator.beginWrite(timeoutNanoseconds: 1_000_000)
        }
        expectTrue(error?.code == .busy && error?.message.contains("Chat/Rooms.swift:12") == true)

        // Another process has the lock.
        notices.withLock { $0 = [] }
        let other = try await openPeer("/sim", SimView(disk), change)
        let second = Task { try await other.abandon(try await other.beginWrite(place: place)) }
        let id = try requireValue(other.state.withLock { $0.log }).lock.load(.lastHolder)
        try await eventually { notices.withLock { $0.contains { $0.holder == .process(id) } } }
        try await coordinator.abandon(turn)
        try await waiter.value
        try await second.value
        await coordinator.close()
        await other.close()
    }

    /// More realms than the pool has threads for short jobs, each with more work to do.
    @Test(.disabled(if: Effort.isReduced))
    func busyRealmsDoNotKeepOthersWaiting() async throws {
        let disk = SimFileSystem()
        var realms: [Coordinator] = []
        for number in 0..<20 {
            let realm = try await openPeer("/sim/\(number)", disk) { options in
                options.store.lingerNanoseconds = 3_600_000_000_000
            }
            try await insert(1, into: realm)
            realms.append(realm)
        }
        expectTrue(realms.allSatisfy { $0.holdsWriterLock })
        await withTaskGroup(of: Void.self) { group in
            for realm in realms { group.addTask { await realm.close() } }
        }
        expectTrue(realms.allSatisfy { $0.isClosed })
    }

    // Covers 12.10, .diskFull
    @Test func objectsAreDeletedOnAFullDisk() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openPeer("/sim", disk) { options in
            options.store.firstSegmentByteCount = 256 << 10
            options.store.keepsSpareSegment = false
            options.checkpoint.isOn = false
        }
        try await insert(0, into: coordinator)
        disk.capacityByteCount = disk.usedByteCount
        var code: StoreError.Code?
        while code == nil {
            code = await storeErrorCode {
                let turn = try await coordinator.beginWrite()
                let transaction = EngineTransaction(base: turn.base)
                let table = try requireValue(turn.base.schema.table(named: "Number")).key
                for number in 0..<500 {
                    _ = try transaction.insert(table, [.int(Int64(number) << 40)])
                }
                let commit = try transaction.commit(timestampMicroseconds: 0)
                try await coordinator.commit(turn, commit, durability: .full)
            }
        }
        expectTrue(code == .diskFull && numbers(coordinator.published).count > 500)
        let turn = try await coordinator.beginWrite()
        let transaction = EngineTransaction(base: turn.base)
        let table = try requireValue(turn.base.schema.tables.first).key
        transaction.delete(table, turn.base.keys(table))
        let commit = try transaction.commit(timestampMicroseconds: 0)
        try await coordinator.commit(turn, commit, durability: .full)
        expectTrue(numbers(coordinator.published).isEmpty)
        await coordinator.close()
        let again = try await openPeer("/sim", disk)
        expectTrue(numbers(again.published).isEmpty)
        await again.close()
    }
}
