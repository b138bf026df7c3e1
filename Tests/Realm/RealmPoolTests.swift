import Foundation
import Regnum
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import RegnumTestModels

/// Realms that are opened on demand, within limits.
@Suite(.timeLimit(.minutes(20))) struct RealmPoolTests {
    let folder: RealmFolder

    init() throws { folder = try RealmFolder() }

    func pool(
        _ maximum: Int, idle: Duration = .seconds(3_600),
        clock: any Clock<Duration> = ContinuousClock()
    ) -> RealmPool {
        let folder = folder
        return RealmPool(maximumOpenCount: maximum, idleTime: idle, clock: clock) { name in
            folder.configuration(name, [Room.self])
        }
    }

    func count(_ realm: Realm) -> Int { realm.snapshot().objects(Room.self).count }

    private func add(_ realm: Realm) async throws {
        try await realm.write { tx in try tx.add(Room("\(tx.objects(Room.self).count)")) }
    }

    @Test func aRealmIsOpenedOnceAndClosedWhenItWasIdle() async throws {
        let clock = ManualClock()
        let pool = pool(10, idle: .seconds(60), clock: clock)
        let first = try await pool.withRealm("a") { realm in
            try await add(realm)
            return realm
        }
        try await clock.sleeps(1)
        clock.advance(by: .seconds(59))
        // used again, so the minute begins again
        let second = try await pool.withRealm("a") { $0 }
        expectTrue(first === second)
        try await clock.sleeps(2)
        clock.advance(by: .seconds(59))
        expectTrue(!first.isClosed)
        await expectEqual(pool.openCount, 1)
        try await clock.advance(by: .seconds(1)) { await pool.openCount == 0 }
        expectTrue(first.isClosed)
        let found = try await pool.withRealm("a") { count($0) }
        expectEqual(found, 1)
        await pool.close()
    }

    @Test func aRealmInUseStaysOpen() async throws {
        let clock = ManualClock()
        let pool = pool(2, idle: .seconds(1), clock: clock)
        try await pool.withRealm("a") { realm in
            for name in ["b", "c", "d"] {
                // nested, but each of these is idle afterwards
                try await pool.withRealm(name) { try await add($0) }
                clock.advance(by: .seconds(100))
                expectTrue(!realm.isClosed)
            }
            try await pool.withRealm("a") { same in expectTrue(same === realm) }
            try await add(realm)
        }
        await expectTrue(pool.openCount <= 2)
        await pool.close()
        await expectEqual(pool.openCount, 0)
    }

    /// Many tasks use more realms than may be open; each finds what the others have written.
    @Test func neverMoreThanTheMaximumAreOpen() async throws {
        let seed = SeededRandom.seed()
        let pool = pool(4)
        let writes = try await withThrowingTaskGroup(of: [String].self) { group in
            for task in 0..<24 {
                group.addTask {
                    var random = SeededRandom(seed &+ UInt64(task))
                    var names: [String] = []
                    for _ in 0..<12 {
                        let name = "r\(Int.random(in: 0..<16, using: &random))"
                        try await pool.withRealm(name) { realm in
                            await expectTrue(pool.openCount <= 4)
                            try await add(realm)
                            expectTrue(!realm.isClosed)
                        }
                        names.append(name)
                    }
                    return names
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        for (name, names) in Dictionary(grouping: writes, by: \.self) {
            let found = try await pool.withRealm(name) { count($0) }
            expectEqual(found, names.count, "\(name)")
        }
        await pool.close()
    }

    @Test func aCancelledCallEndsItsWait() async throws {
        let pool = pool(1)
        try await pool.withRealm("a") { _ in
            let waiting = Task { try await pool.withRealm("b") { count($0) } }
            let other = Task { try await pool.withRealm("c") { count($0) } }
            try await Task.sleep(for: .milliseconds(20))
            waiting.cancel()
            await expectCancelled(waiting.result)
            other.cancel()
            await expectCancelled(other.result)
        }
        // Nobody keeps the place of those that have gone.
        let found = try await pool.withRealm("d") { count($0) }
        expectEqual(found, 0)
        await pool.close()
    }

    /// Opens a pool, and uses some realms that can't be closed before `faults` are cleared.
    func pool(
        _ maximum: Int, slow names: [String], _ faults: FaultInjector
    ) async throws -> RealmPool {
        let folder = folder
        let pool = RealmPool(maximumOpenCount: maximum, idleTime: .seconds(3_600)) { name in
            let configuration = folder.configuration(name, [Room.self])
            return names.contains(name) ? configuration.testing(faults: faults) : configuration
        }
        for name in names {
            try await pool.withRealm(name) { realm in
                try await realm.write(durability: .relaxed(within: .seconds(3_600))) { tx in
                    try tx.add(Room("a"))
                }
            }
        }
        faults.syncDelay = .seconds(3_600)
        return pool
    }

    @Test func aCancelledCallDoesNotWaitForTheEndOfAnotherRealm() async throws {
        let faults = FaultInjector()
        let pool = try await pool(1, slow: ["a"], faults)
        let waiting = Task { try await pool.withRealm("b") { count($0) } }
        try await Task.sleep(for: .milliseconds(100))
        waiting.cancel()
        await expectCancelled(waiting.result)
        // the other one is still being closed
        await expectEqual(pool.openCount, 1)
        faults.clear()
        let found = try await pool.withRealm("a") { count($0) }
        expectEqual(found, 1)
        await pool.close()
    }

    @Test func aRealmThatClosesSlowlyHoldsUpNoOtherOne() async throws {
        let faults = FaultInjector()
        let pool = try await pool(5, slow: ["c"], faults)
        var others: [Realm] = []
        for name in ["a", "b", "d", "e"] { others.append(try await pool.withRealm(name) { $0 }) }
        let closing = Task { await pool.close() }
        // this doesn't end before the time limit if they wait for "c"
        while !others.allSatisfy(\.isClosed) { try await Task.sleep(for: .milliseconds(5)) }
        faults.clear()
        await closing.value
    }

    @Test func aRealmCanStayOpenForever() async throws {
        let pool = pool(1, idle: .seconds(Int64.max))
        let realm = try await pool.withRealm("a") { $0 }
        try await Task.sleep(for: .milliseconds(100))
        expectTrue(!realm.isClosed)
        await pool.close()
    }

    private func expectCancelled<R>(_ result: Result<R, any Error>) {
        switch result {
        case .success: Issue.record("the call wasn't cancelled")
        case .failure(let error): expectTrue(error is CancellationError, "\(error)")
        }
    }

    // Covers .fileAccess
    @Test func aRealmThatCannotBeOpenedTakesNoPlace() async throws {
        let folder = folder
        let pool = pool(1)
        try Data("not a directory".utf8).write(to: folder["bad"])
        let errors = await withTaskGroup(of: Realm.Error?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    await realmError { try await pool.withRealm("bad") { count($0) } }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for error in errors {
            let code = try requireValue(error?.code)
            expectTrue(code != .closed, "\(code)")
        }
        await expectEqual(pool.openCount, 0)
        try FileManager.default.removeItem(at: folder["bad"])
        try await pool.withRealm("bad") { try await add($0) }
        await pool.close()
    }

    @Test func aRealmThatAnotherOwnerClosedIsOpenedAgain() async throws {
        let pool = pool(3)
        try await pool.withRealm("a") { realm in
            try await add(realm)
            await realm.close()
            // while the first call still has the closed one
            let found = try await pool.withRealm("a") { count($0) }
            expectEqual(found, 1)
        }
        await pool.close()
    }

    // Covers .fileMoved
    @Test func aRealmWhoseFilesWereMovedIsOpenedAgain() async throws {
        let pool = pool(1)
        try await pool.withRealm("a") { realm in
            try await add(realm)
            try FileManager.default.moveItem(at: folder["a"], to: folder["moved"])
            let error = await realmError { try await add(realm) }
            expectEqual(error?.code, .fileMoved)
            // while the first call still has the old one
            let found = try await pool.withRealm("a") { other in
                try await add(other)
                return count(other)
            }
            expectEqual(found, 1)
        }
        let found = try await pool.withRealm("a") { count($0) }
        expectEqual(found, 1)
        await pool.close()
    }

    // Covers .closed
    @Test func closingEndsStreamsAndWaits() async throws {
        let pool = pool(1)
        let (streams, continuation) = AsyncStream<Void>.makeStream()
        let streaming = Task {
            try await pool.withRealm("a") { realm in
                var count = 0
                for try await _ in realm.objects(Room.self).changes {
                    count += 1
                    continuation.finish()
                }
                return count
            }
        }
        for await _ in streams {}
        let waiting = Task {
            await realmError { try await pool.withRealm("b") { count($0) } }
        }
        try await Task.sleep(for: .milliseconds(20))
        await pool.close()
        try await expectEqual(streaming.value, 1)
        await expectEqual(waiting.value?.code, .closed)
        let late = await realmError { try await pool.withRealm("a") { count($0) } }
        expectEqual(late?.code, .closed)
        await expectEqual(pool.openCount, 0)
    }

    /// Opening may take as long as a migration.
    // Covers .closed
    @Test func closingDoesNotWaitForRealmsThatAreBeingOpened() async throws {
        let folder = folder
        let old = try await Realm.open(folder.configuration("a", [Room.self]))
        try await add(old)
        await old.close()
        let (begun, continuation) = AsyncStream<Void>.makeStream()
        let pool = RealmPool(maximumOpenCount: 1) { name in
            var configuration = folder.configuration(name, [Room.self])
            configuration.schemaVersion = 1
            configuration.migration = { migration, _ in
                continuation.finish()
                let end = ContinuousClock.now + .seconds(400)
                while ContinuousClock.now < end {
                    try migration.enumerateObjects(ofType: "Room") { _, _ in }
                }
            }
            return configuration
        }
        let waiting = Task { await realmError { try await pool.withRealm("a") { count($0) } } }
        for await _ in begun {}
        await pool.close()
        await expectEqual(waiting.value?.code, .closed)
        try await expectEqual(Realm.schemaVersion(at: folder["a"]), 0)
    }

    /// A pool that is released ends its timers; its realms close by themselves.
    @Test func aPoolThatIsReleasedLeavesNothing() async throws {
        let clock = ManualClock()
        var pool: RealmPool? = pool(4, idle: .seconds(60), clock: clock)
        try await pool?.withRealm("a") { try await add($0) }
        try await clock.sleeps(1)
        pool = nil
        while clock.sleeperCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
    }

    /// Thousands of realms, of which few are open: descriptors and threads don't grow.
    @Test func manyRealmsTakeTheResourcesOfFew() async throws {
        // in a process of its own, because other tests open files too
        await #expect(processExitsWith: .success) {
            let folder = try RealmFolder()
            let pool = RealmPool(maximumOpenCount: 16) { name in
                folder.configuration(name, [Room.self])
            }
            func use() throws -> (descriptors: Int, threads: Int) {
                return (
                    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count,
                    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
                )
            }
            func visit(_ names: Range<Int>) async throws {
                for number in names {
                    try await pool.withRealm("r\(number)") { realm in
                        try await realm.write(durability: .relaxed(within: .seconds(60))) { tx in
                            try tx.add(Room("\(tx.objects(Room.self).count)"))
                        }
                    }
                }
            }
            try await visit(0..<16)
            let few = try use()
            let count = max(40, Effort.count(gate: 150, soak: 5_000))
            try await visit(0..<count)
            try await visit(0..<count)
            let many = try use()
            let uses = "\(few) after 16 realms, \(many) after \(count)"
            expectTrue(many.descriptors <= few.descriptors + 16, "\(uses)")
            // the library's threads that wait for disks: 16 in each of a few pools
            expectTrue(many.threads <= few.threads + 48, "\(uses)")
            for number in [0, 20, count - 1] {
                let found = try await pool.withRealm("r\(number)") { realm in
                    realm.snapshot().objects(Room.self).count
                }
                expectEqual(found, number < 16 ? 3 : 2)
            }
            await pool.close()
        }
    }
}
