import Foundation
import Glibc
import Regnum
import RegnumTestSupport
import RegnumWorkers

/// One queue and four processes that run its jobs, of which one at a time is killed and replaced.
///
/// What must hold: every errand is begun at least once, and again only if a process that had begun
/// it was killed or its claim was lost. What is written together with the end of an errand is
/// written once. First attempts are claimed by priority, and then in the order in which the errands
/// were added. No two errands have the same unique key. None stays claimed for long once its claim
/// has expired.
final class JobKillRound {
    private static let timeoutMilliseconds = 1_500
    /// The time in which a worker notices, even on a very slow machine, that a claim has expired.
    private static let patience: TimeInterval = 200

    private let group: ChildGroup
    private let realm: Realm
    private var random: SeededRandom
    private var workers: [ChildProcess] = []
    private var killed: [ChildProcess] = []
    private var errandCount = 0
    /// The number of errands that were there when the first worker started.
    private var firstCount = 0
    private var longestOverdue: TimeInterval = 0

    init(_ group: ChildGroup, _ seed: UInt64) async throws {
        self.group = group
        random = SeededRandom(seed)
        realm = try await Realm.work(group.realm)
    }

    /// - Parameter errands: The number of errands at the beginning. More are added so that there is
    ///   always something to do until the last kill.
    /// - Returns: A description of the run.
    func run(kills: Int, errands: Int) async throws -> String {
        try await addErrands(errands) { [20, 0, 0, -20][$0 % 4] }
        firstCount = errands
        let keys = Task { [realm] in try await watchKeys(realm) }
        for _ in 0..<4 { workers.append(try startWorker()) }
        for _ in 0..<kills { try await killOne() }
        let end = ContinuousClock.now
        try await waitForNone(of: "errands") {
            try noteOverdue()
            return errandsLeft
        }
        let time = end.duration(to: .now)
        for worker in workers { worker.signal(SIGTERM) }
        for worker in workers { try await worker.expectTermination() }
        let begun = try check()
        await realm.close()
        let versions = try await keys.value
        return "\(kills) kills, \(errandCount) errands, \(begun) begun, "
            + "the last one finished \(time) after the last kill, claims at the most "
            + "\(longestOverdue) s overdue, unique keys in \(versions) versions"
    }

    private var errandsLeft: Int { realm.snapshot().objects(Errand.self).count }

    private func startWorker() throws -> ChildProcess {
        try group.start("work", "\(Self.timeoutMilliseconds)")
    }

    private func addErrands(_ count: Int, priority: (Int) -> Int) async throws {
        let numbers = errandCount..<errandCount + count
        let errands = numbers.map { number in
            (number, priority(number), Int.random(in: 0...20, using: &random))
        }
        errandCount += count
        try await realm.write { tx in
            for (number, priority, milliseconds) in errands {
                let errand = Errand(value: ["number": number, "milliseconds": milliseconds])
                try tx.enqueue(errand, priority: priority)
            }
        }
    }

    /// Kills a worker, either right after its start or while its handlers run.
    private func killOne() async throws {
        let index = Int.random(in: 0..<workers.count, using: &random)
        let victim = workers[index]
        let lineCount = Bool.random(using: &random) ? 0 : victim.lineCount + 1
        try await waitForNone(of: "workers") {
            if errandsLeft < 100 { try await addErrands(100) { _ in -100 } }
            return victim.lineCount < lineCount ? 1 : 0
        }
        let nanoseconds = Int.random(in: 0...60_000_000, using: &random)
        try await Task.sleep(for: .nanoseconds(nanoseconds), tolerance: .zero)
        for worker in workers {
            try require(worker.isRunning, "exited unexpectedly: \(worker.description)")
        }
        victim.signal(SIGKILL)
        let ending = try await victim.end()
        try require(ending == .killed(signal: SIGKILL), "not killed: \(victim.description)")
        killed.append(victim)
        workers[index] = try startWorker()
        group.forgetEnded()
        try noteOverdue()
    }

    private func noteOverdue() throws {
        let queue = JobQueue(of: Errand.self, in: realm)
        guard let due = queue.jobs(.running).current.compactMap({ $0.dueAt }).min() else { return }
        longestOverdue = max(longestOverdue, Date().timeIntervalSince(due))
        try require(
            longestOverdue < Self.patience, "a claim has expired \(longestOverdue) s before")
    }

    // MARK: Lines

    /// What the workers have printed.
    private struct Record {
        var begunCount = 0
        /// The numbers of the first attempts that were claimed on each date.
        var firstClaims: [Double: [Int]] = [:]
        var begins: [Int: Int] = [:]
        /// How often an errand may have been begun once more: a process that had begun it was
        /// killed, or a claim was lost.
        var excuses: [Int: Int] = [:]

        mutating func read(_ worker: ChildProcess, isKilled: Bool) throws {
            for line in worker.lines {
                let words = line.split(separator: " ")
                guard words.count >= 2, let number = Int(words[1]) else {
                    throw ChildFailure("unexpected line: \(line)")
                }
                if words[0] == "lost" { excuses[number, default: 0] += 1 }
                guard words[0] == "begin", words.count == 4, let date = Double(words[3]) else {
                    continue
                }
                begunCount += 1
                begins[number, default: 0] += 1
                if isKilled { excuses[number, default: 0] += 1 }
                if words[2] == "1", number >= 0 { firstClaims[date, default: []].append(number) }
            }
        }
    }

    /// Returns how often an errand was begun.
    private func check() throws -> Int {
        var record = Record()
        for worker in killed { try record.read(worker, isKilled: true) }
        for worker in workers { try record.read(worker, isKilled: false) }

        let snapshot = realm.snapshot()
        let tallies = Dictionary(
            uniqueKeysWithValues: snapshot.objects(Tally.self).map { ($0.number, $0.count) })
        for number in 0..<errandCount {
            let begins = record.begins[number, default: 0]
            try require(begins > 0, "the errand \(number) was never begun")
            if number % 3 == 0 { continue }
            let excuses = record.excuses[number, default: 0]
            try require(
                begins <= excuses + 1, "the errand \(number) was begun \(begins) times, \(excuses)")
            let tally = tallies[number, default: 0]
            try require(tally == 1, "the errand \(number) was finished \(tally) times")
        }
        for key in 1...5 {
            try require(record.begins[-key] != nil, "no errand with a key was begun: \(key)")
        }
        try checkOrder(record.firstClaims)
        return record.begunCount
    }

    /// Checks that claims were made in the order of priorities. Those of one date were made in one
    /// transaction.
    private func checkOrder(_ claims: [Double: [Int]]) throws {
        var last: (rank: Int, number: Int)?
        for (_, numbers) in claims.sorted(by: { $0.key < $1.key }) {
            let ordered = numbers.map { (rank: rank($0), number: $0) }.sorted { $0 < $1 }
            if let last, let first = ordered.first {
                try require(last < first, "\(first.number) was claimed after \(last.number)")
            }
            last = ordered.last
        }
    }

    /// The rank of the priority that an errand has been given.
    private func rank(_ number: Int) -> Int {
        number < firstCount ? [0, 1, 1, 2][number % 4] : 3
    }
}

/// Checks that no two errands have the same key, in each version that is published here until the
/// realm is closed. Returns the number of versions.
private func watchKeys(_ realm: Realm) async throws -> Int {
    var count = 0
    for try await change in realm.objects(Errand.self).where({ $0.uniqueKey != nil }).changes {
        let keys = change.collection.map { $0.uniqueKey ?? "" }
        try require(Set(keys).count == keys.count, "two errands with a key: \(keys)")
        count += 1
    }
    return count
}
