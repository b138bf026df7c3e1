import Foundation
import Regnum
import RegnumStore
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import RegnumTestModels

/// Which calls get the places of a pool in which no more realms may be open.
extension RealmPoolTests {
    @Test func oneRealmIsClosedForOneThatIsOpened() async throws {
        let faults = FaultInjector()
        let pool = try await pool(3, slow: ["a", "b", "c"], faults)
        let kept = try await pool.withRealm("b") { $0 }
        let waiting = Task { try await pool.withRealm("d") { count($0) } }
        for _ in 0..<20 {
            // these calls don't wait for the one that is being closed
            try await pool.withRealm("c") { expectEqual(count($0), 1) }
            try await Task.sleep(for: .milliseconds(20))
        }
        faults.clear()
        try await expectEqual(waiting.value, 0)
        expectTrue(!kept.isClosed)
        await pool.close()
    }

    /// They will use it together.
    @Test func oneRealmIsClosedForAllThatWaitForTheSameOne() async throws {
        let faults = FaultInjector()
        let pool = try await pool(3, slow: ["a"], faults)
        var others: [Realm] = []
        for name in ["b", "c"] { others.append(try await pool.withRealm(name) { $0 }) }
        let waiting = (0..<3).map { _ in Task { try await pool.withRealm("d") { count($0) } } }
        // until "a" is being closed for them
        try await Task.sleep(for: .milliseconds(200))
        faults.clear()
        for call in waiting { try await expectEqual(call.value, 0) }
        expectTrue(others.allSatisfy { !$0.isClosed })
        await pool.close()
    }

    /// Otherwise the second call would wait until the first one has left.
    @Test func callsThatWaitForARealmUseItTogether() async throws {
        let pool = pool(1)
        let users = Guarded(0)
        let calls = try await pool.withRealm("a") { _ in
            let calls = (0..<3).map { _ in
                Task {
                    try await pool.withRealm("b") { _ in
                        users.withLock { $0 += 1 }
                        let end = ContinuousClock.now + .seconds(60)
                        while users.withLock({ $0 }) < 3, ContinuousClock.now < end {
                            try await Task.sleep(for: .milliseconds(5))
                        }
                        return users.withLock { $0 }
                    }
                }
            }
            try await Task.sleep(for: .milliseconds(100))
            return calls
        }
        for call in calls { try await expectEqual(call.value, 3) }
        await pool.close()
    }

    /// A realm that is always in use must not keep others from being opened.
    @Test func aCallDoesNotTakeThePlaceOfAnEarlierOne() async throws {
        let faults = FaultInjector()
        let pool = try await pool(1, slow: ["a"], faults)
        let order = Guarded<[String]>([])
        let first = Task { try await pool.withRealm("b") { _ in order.withLock { $0 += ["b"] } } }
        // until "a" is being closed for it
        try await Task.sleep(for: .milliseconds(200))
        let second = Task { try await pool.withRealm("a") { _ in order.withLock { $0 += ["a"] } } }
        try await Task.sleep(for: .milliseconds(200))
        faults.clear()
        try await first.value
        try await second.value
        expectEqual(order.withLock { $0 }, ["b", "a"])
        await pool.close()
    }
}
