import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumWorkers

@Suite struct RetryPolicyTests {
    @Test func delaysGrowUpToTheMaximum() {
        let policy = RetryPolicy(
            delay: .seconds(2), factor: 3, maximumDelay: .seconds(40), jitter: 0)
        let delays = [1, 2, 3, 4, 5, .max].map { policy.delay(afterAttempt: $0) }
        expectEqual(delays.map(\.components.seconds), [2, 6, 18, 40, 40, 40])
        let constant = RetryPolicy(delay: .seconds(5), factor: 1, jitter: 0)
        expectEqual(constant.delay(afterAttempt: .max), .seconds(5))
        let none = RetryPolicy(delay: .zero, jitter: 0.5)
        expectEqual(none.delay(afterAttempt: .max), .zero)
        // no clock overflows
        let longest = RetryPolicy(
            delay: .seconds(Int64.max), maximumDelay: .seconds(Int64.max), jitter: 0)
        expectEqual(longest.delay(afterAttempt: .max), .seconds(1 << 32))
    }

    @Test func delaysVaryWithinTheJitter() {
        let policy = RetryPolicy(delay: .seconds(100), factor: 2, jitter: 0.25)
        var random = SeededRandom()
        let delays = (0..<1_000).map { _ in policy.delay(afterAttempt: 2, using: &random) }
        expectTrue(delays.allSatisfy { $0 >= .seconds(150) && $0 <= .seconds(250) })
        expectTrue(delays.contains { $0 < .seconds(170) } && delays.contains { $0 > .seconds(230) })
    }

    // Covers .invalidInput
    @Test(arguments: [
        RetryPolicy(attempts: 0), RetryPolicy(delay: .seconds(-1)), RetryPolicy(factor: 0.5),
        RetryPolicy(factor: .infinity), RetryPolicy(factor: .nan), RetryPolicy(jitter: 1.5),
        RetryPolicy(jitter: .nan), RetryPolicy(maximumDelay: .seconds(-1)),
    ])
    func invalidPoliciesAreRefused(policy: RetryPolicy) async throws {
        let realm = try await Realm.temporary(workerTypes)
        var options = JobOptions()
        options.retry = policy
        let queue = JobQueue(of: Parcel.self, in: realm, options: options)
        await expectInvalidInput { _ = try await queue.claim(upTo: 1) }
        await expectInvalidInput { try await queue.run { _ in } }
        var consumer = ConsumerOptions()
        consumer.retry = policy
        await expectInvalidInput { [consumer] in
            try await realm.consume(Memo.self, as: "a", options: consumer) { _ in }
        }
    }

    @Test func otherInvalidSettingsAreRefused() async throws {
        let realm = try await Realm.temporary(workerTypes)
        let changes: [(inout JobOptions) -> Void] = [
            { $0.concurrency = 0 }, { $0.concurrency = .max }, { $0.prefetch = -1 },
            { $0.prefetch = .max }, { $0.timeout = .zero },
        ]
        for change in changes {
            var options = JobOptions()
            change(&options)
            let queue = JobQueue(of: Parcel.self, in: realm, options: options)
            await expectInvalidInput { _ = try await queue.claim(upTo: 1) }
        }
        let consumerChanges: [(inout ConsumerOptions) -> Void] = [
            { $0.batchSize = 0 }, { $0.depth = -1 }, { $0.lease = .zero },
        ]
        for change in consumerChanges {
            var options = ConsumerOptions()
            change(&options)
            await expectInvalidInput { [options] in
                try await realm.consume(Memo.self, as: "a", options: options) { _ in }
            }
        }
    }
}

/// Records an issue unless `body` throws an error with a code.
func expect(_ code: Realm.Error.Code, _ body: () async throws -> Void) async {
    do {
        try await body()
        Issue.record("nothing was thrown instead of \(code)")
    } catch {
        expectEqual((error as? Realm.Error)?.code, code)
    }
}

/// Records an issue unless `body` throws `.invalidInput`.
func expectInvalidInput(_ body: () async throws -> Void) async {
    await expect(.invalidInput, body)
}
