import Foundation
import Glibc
import Regnum
import RegnumTestSupport
import RegnumWorkers

/// A stream of events and two processes that consume it under one name, of which one at a time is
/// killed and replaced.
///
/// What must hold: the postings, which the consumer saves with its position, have each event once
/// and in order, except for those whose change the handler fails. These become dead letters, each
/// once, and are posted once when they are retried. No process gets an event again that it has
/// saved, and no event is delivered again unless a process that got it was killed or couldn't save
/// it. If the process that runs the consumer is killed, the other one takes over.
final class ConsumerKillRound {
    private static let leaseMilliseconds = 1_000

    private let group: ChildGroup
    private let realm: Realm
    private var random: SeededRandom
    private var consumers: [ChildProcess]
    private var killed: [ChildProcess] = []
    private var takeovers: [Duration] = []

    init(_ group: ChildGroup, _ seed: UInt64) async throws {
        self.group = group
        random = SeededRandom(seed)
        realm = try await Realm.work(group.realm)
        consumers = try (0..<2).map { _ in
            try group.start("consume", "\(Self.leaseMilliseconds)")
        }
    }

    /// - Returns: A description of the run.
    func run(kills: Int) async throws -> String {
        // otherwise many events are one change, the initial state
        try await waitForNone(of: "consumers") {
            try await realm.consumers().first?.cursor == nil ? 1 : 0
        }
        let writer = Task { [realm] in try await writeEvents(realm) }
        for _ in 0..<kills { try await killOne() }
        writer.cancel()
        let eventCount = try await writer.value

        let numbers = 0..<eventCount
        let good = numbers.filter { !Self.isPoison($0) }
        let poison = numbers.filter { Self.isPoison($0) }
        try await waitForNone(of: "events") {
            good.count - postings(areLate: false).count
        }
        try await waitForNone(of: "letters") { poison.count - letterCount }
        try require(postings(areLate: false) == good, "events are missing, repeated or misplaced")
        try require(postings(areLate: true).isEmpty, "letters were posted without a retry")
        try await retryLetters()
        try require(postings(areLate: true).sorted() == poison, "letters are missing or repeated")
        try require(postings(areLate: false) == good, "events were posted again")

        for consumer in consumers { consumer.signal(SIGTERM) }
        for consumer in consumers { try await consumer.expectTermination() }
        let deliveries = try checkLines(numbers)
        await realm.close()
        let longest = takeovers.max().map { "\($0)" } ?? "-"
        return "\(killed.count) kills, \(eventCount) events, \(poison.count) of them poison, "
            + "\(deliveries) deliveries, taken over within \(longest)"
    }

    private static func isPoison(_ number: Int) -> Bool { number % 60 == 59 }

    private func postings(areLate: Bool) -> [Int] {
        realm.snapshot().objects(Posting.self).where { $0.isLate == areLate }.map(\.number)
    }

    private var letterCount: Int { realm.snapshot().objects(DeadChange.self).count }

    // MARK: Kills

    /// Kills the process that runs the consumer or, sometimes, the one that waits.
    private func killOne() async throws {
        let holder = try await currentHolder(after: Int.random(in: 1...12, using: &random))
        let nanoseconds = Int.random(in: 0...10_000_000, using: &random)
        try await Task.sleep(for: .nanoseconds(nanoseconds), tolerance: .zero)
        let other = consumers[1 - holder]
        if Int.random(in: 0..<4, using: &random) == 0 { return try await kill(1 - holder) }
        let lineCount = other.lineCount
        let start = ContinuousClock.now
        try await kill(holder) {
            _ = try await other.lines(lineCount + 1)
            takeovers.append(start.duration(to: .now))
        }
    }

    /// Returns the first process that has printed some lines from now on.
    private func currentHolder(after lineCount: Int) async throws -> Int {
        let counts = consumers.map(\.lineCount)
        var holder: Int?
        try await waitForNone(of: "consumers") {
            holder = consumers.indices.first { consumers[$0].lineCount >= counts[$0] + lineCount }
            return holder == nil ? 1 : 0
        }
        return try requireValue(holder)
    }

    /// Kills a process, and replaces it after `body`.
    private func kill(_ index: Int, then body: () async throws -> Void = {}) async throws {
        let victim = consumers[index]
        try require(victim.isRunning, "exited unexpectedly: \(victim.description)")
        victim.signal(SIGKILL)
        let ending = try await victim.end()
        try require(ending == .killed(signal: SIGKILL), "not killed: \(victim.description)")
        killed.append(victim)
        try await body()
        consumers[index] = try group.start("consume", "\(Self.leaseMilliseconds)")
        group.forgetEnded()
    }

    /// Requests the retry of all dead letters until none is left. An attempt in which the process
    /// is killed counts, so that it has to be requested again.
    private func retryLetters() async throws {
        var isKillDue = true
        try await waitForNone(of: "dead letters") {
            try await realm.write { tx in
                for letter in tx.objects(DeadChange.self) where !letter.isRetried {
                    tx.retry(letter)
                }
            }
            if isKillDue {
                isKillDue = false
                try await kill(Int.random(in: 0...1, using: &random))
            }
            return letterCount
        }
    }

    // MARK: Lines

    /// Checks what the processes have printed. Returns the number of events that they got.
    private func checkLines(_ numbers: Range<Int>) throws -> Int {
        var deliveries: [Int: Int] = [:]
        // how often an event may have been delivered once more
        var excuses: [Int: Int] = [:]
        for (index, consumer) in (killed + consumers).enumerated() {
            var saved = -1
            for line in consumer.lines {
                let words = line.split(separator: " ")
                guard words.count == 2, let number = Int(words[1]) else {
                    throw ChildFailure("unexpected line: \(line)")
                }
                let isGot = words[0] == "got"
                if isGot { deliveries[number, default: 0] += 1 }
                if words[0] == "again" || isGot && index < killed.count {
                    excuses[number, default: 0] += 1
                }
                // those are also retried, out of order
                if Self.isPoison(number) { continue }
                if words[0] == "saved" {
                    saved = max(saved, number)
                } else {
                    try require(number > saved, "\(number) after \(saved) was saved: \(line)")
                }
            }
        }
        try require(Set(deliveries.keys) == Set(numbers), "events weren't delivered")
        for (number, count) in deliveries where !Self.isPoison(number) {
            let excuses = excuses[number, default: 0]
            try require(
                count <= excuses + 1, "\(number) was delivered \(count) times, \(excuses)")
        }
        return deliveries.values.reduce(0, +)
    }
}

/// Adds an event in each commit until the task is cancelled. Returns their number.
private func writeEvents(_ realm: Realm) async throws -> Int {
    var count = 0
    while !Task.isCancelled {
        do {
            try await realm.write { [count] tx in
                try tx.create(Event.self, value: ["number": count])
            }
        } catch is CancellationError {
            break
        }
        count += 1
        try? await Task.sleep(for: .milliseconds(4), tolerance: .zero)
    }
    return count
}
