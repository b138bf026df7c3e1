import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// A crash at every effect of coordinators that commit, commit in bulk, checkpoint, compact, trim
/// and close, on the simulated disk: power failures that keep any part of the unsynced data, the
/// death of all processes, and a second crash while the realm is opened again.
@Suite(.serialized, .timeLimit(.minutes(40)))
struct CheckpointCrashEnumeration {
    /// The content after each commit, and the acknowledged version.
    private final class Expectation: Sendable {
        private struct State {
            var hashes: [UInt64: UInt64] = [:]
            var acknowledged: UInt64 = 0
            var stateCount = 0
            var failures: [String] = []
        }

        private let state = Guarded(State())
        private let keys: Keys?

        init(_ keys: Keys? = nil) { self.keys = keys }

        func attempt(_ commit: Commit) {
            let hash = commit.root.stateHash()
            state.withLock { $0.hashes[commit.root.version] = hash }
        }

        func acknowledge(_ version: UInt64) { state.withLock { $0.acknowledged = version } }

        var acknowledged: UInt64 { state.withLock { $0.acknowledged } }
        var stateCount: Int { state.withLock { $0.stateCount } }
        var failures: [String] { state.withLock { $0.failures } }

        func report(_ what: String) {
            state.withLock { state in
                if state.failures.count < 8 { state.failures.append(what) }
            }
        }

        /// Opens the disk after a crash, when `acknowledged` was the version known to callers; if
        /// the realm is being given another key, with one of both at first.
        func check(_ disk: SimFileSystem, acknowledged: UInt64, _ place: () -> String) {
            guard let keys else { return check(disk, nil, acknowledged, place) }
            for key in [keys.former, keys.newest] {
                check(disk.killImage(), key, acknowledged) { "\(place()), one key" }
            }
            check(disk, keys.both, acknowledged, place)
        }

        private func check(
            _ disk: SimFileSystem, _ key: EncryptionKey?, _ acknowledged: UInt64,
            _ place: () -> String
        ) {
            state.withLock { $0.stateCount += 1 }
            do {
                let (root, _) = try reopened("/sim", disk, key)
                let hash = state.withLock { $0.hashes[root.version] }
                if root.version < acknowledged {
                    report("\(place()): version \(root.version) of \(acknowledged)")
                } else if root.version > 0, hash != root.stateHash() {
                    report("\(place()): version \(root.version) has different content")
                }
                if let damage = root.damage { report("\(place()): \(damage.message)") }
            } catch let error as StoreError {
                if error.code == .wrongKey, key != keys?.both { return }
                report("\(place()): \(error.code): \(error.message)")
            } catch {
                report("\(place()): \(error)")
            }
        }
    }

    /// The keys of a realm that is given another one.
    private struct Keys {
        let former = EncryptionKey.fake(1)
        let newest = EncryptionKey.fake(2)
        let both = EncryptionKey.fake(2, former: [1])
    }

    private enum Step: CaseIterable { case insert, relaxed, bulk, compact, reopen, peer }

    /// - Parameter keys: the first process has the former key until it opens the realm again.
    private func run(
        _ steps: [Step], _ expectation: Expectation, seed: UInt64, images: Int, keys: Keys? = nil
    ) async throws {
        let disk = SimFileSystem(seed: seed)
        var coordinator = try await openBusy("/sim", disk) { $0.store.key = keys?.former }
        let other = SimView(disk)
        var peer: Coordinator?
        disk.onEffect = { [unowned disk] kind, index in
            guard kind != .wake else { return }
            let acknowledged = expectation.acknowledged
            let place = { @Sendable in "before \(kind) \(index) of seed \(seed)" }
            let all = disk.crashImages(SimCrashOptions(limitUnits: 4, samples: 4), seed: seed)
            var numbers = SeededRandom(seed &+ UInt64(index))
            for _ in 0..<images {
                let image = all[Int(numbers.next() % UInt64(all.count))]
                self.crashAgain(image.fileSystem, expectation, acknowledged, numbers.next()) {
                    "power cut \(place()), \(image.summary)"
                }
            }
            expectation.check(disk.killImage(), acknowledged: acknowledged) { "death \(place())" }
        }
        defer { disk.onEffect = nil }
        var next = 0
        for step in steps {
            switch step {
            case .insert, .relaxed, .bulk:
                let turn = try await coordinator.beginWrite()
                let commit =
                    try step == .bulk
                    ? makeBulk(next..<next + 40, on: turn.base) : makeInsert(next, on: turn.base)
                next += step == .bulk ? 40 : 1
                expectation.attempt(commit)
                try await coordinator.commit(
                    turn, commit,
                    durability: step == .relaxed ? .relaxed(withinNanoseconds: 1 << 40) : .full)
                if step != .relaxed { expectation.acknowledge(commit.root.version) }
            case .compact: _ = try await coordinator.compact()
            case .reopen:
                await coordinator.close()
                coordinator = try await openBusy("/sim", disk) { $0.store.key = keys?.both }
            case .peer:
                let opened = try await openBusy("/sim", other) { $0.store.key = keys?.both }
                let turn = try await opened.beginWrite()
                let commit = try makeInsert(next, on: turn.base)
                next += 1
                expectation.attempt(commit)
                try await opened.commit(turn, commit, durability: .full)
                expectation.acknowledge(commit.root.version)
                await peer?.close()
                peer = opened
            }
        }
        await peer?.close()
        await coordinator.close()
    }

    /// Opens the image, with a power failure at one effect of the opening.
    private func crashAgain(
        _ disk: SimFileSystem, _ expectation: Expectation, _ acknowledged: UInt64, _ seed: UInt64,
        _ place: @escaping @Sendable () -> String
    ) {
        let cut = Int(seed % 8)
        disk.onEffect = { [unowned disk] kind, index in
            guard kind != .wake, index % 8 == cut else { return }
            let all = disk.crashImages(SimCrashOptions(limitUnits: 2, samples: 2), seed: seed)
            let image = all[Int(seed >> 8 % UInt64(all.count))]
            expectation.check(image.fileSystem, acknowledged: acknowledged) {
                "\(place()), then before \(kind) \(index), \(image.summary)"
            }
        }
        expectation.check(disk, acknowledged: acknowledged, place)
        disk.onEffect = nil
        expectation.check(disk, acknowledged: acknowledged) { "\(place()), opened twice" }
    }

    @Test func noCrashLosesACommit() async throws {
        var generator = SeededRandom("noCrashLosesACommit")
        let limit = Effort.count(gate: 600, soak: 3_000)
        var stateCount = 0
        var round = 0
        while stateCount < limit {
            let expectation = Expectation()
            let steps =
                round == 0
                ? [
                    .insert, .bulk, .insert, .insert, .compact, .insert, .insert, .reopen, .bulk,
                    .peer, .compact, .insert,
                ]
                : (0..<14).map { _ in Step.allCases[generator.below(Step.allCases.count)] }
            try await run(steps, expectation, seed: generator.next(), images: 2)
            stateCount += expectation.stateCount
            for failure in expectation.failures { Issue.record(Comment(rawValue: failure)) }
            guard expectation.failures.isEmpty else { return }
            round += 1
        }
        print("checkpoint crash enumeration: \(stateCount) states of \(round) workloads")
        expectTrue(stateCount >= limit)
    }

    /// Both keys open the realm at any time. With one of them, it has the right content or is
    /// refused.
    @Test func aRealmThatIsGivenAnotherKeySurvivesEveryCrash() async throws {
        var generator = SeededRandom("aRealmThatIsGivenAnotherKeySurvivesEveryCrash")
        let limit = Effort.count(gate: 600, soak: 3_000)
        var stateCount = 0
        while stateCount < limit {
            let expectation = Expectation(Keys())
            let before: [Step] = [.insert, .relaxed, .bulk, .insert, .compact]
            let after: [Step] = [.insert, .relaxed, .bulk, .peer, .insert]
            func some(_ steps: [Step], _ count: Int) -> [Step] {
                (0..<count).map { _ in steps[generator.below(steps.count)] }
            }
            let steps =
                some(before, 4) + [.insert, .reopen] + some(after, 2) + [.compact]
                + some(after, 2) + [.compact, .reopen]
            try await run(
                steps, expectation, seed: generator.next(), images: 2, keys: Keys())
            stateCount += expectation.stateCount
            for failure in expectation.failures { Issue.record(Comment(rawValue: failure)) }
            guard expectation.failures.isEmpty else { return }
        }
        print("crashes of realms that get another key: \(stateCount) states")
    }
}
