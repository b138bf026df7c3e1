import BenchmarkKit
import Foundation
import Synchronization

/// The time from a commit of 10 changed people to the receipt of the exact change set by an
/// observer in the same process.
struct Observation: Workload {
    private static let changeCount = 10
    /// The condition of row 10.
    private static let age = 50

    let name: String
    let conditions: [ObservedAges]
    /// The number of commits in a round of Regnum, and of a peer, for which they are slow.
    let commitCount: Int
    let peerCommitCount: Int
    let notes: [String]

    static let one = Observation(
        name: "10", conditions: [ObservedAges(above: age)], commitCount: 2_000,
        peerCommitCount: 50,
        notes: [
            "from the return of the commit of new ages of 10 people, without a sync (as 8b), until",
            "the observer of age > 50 has the change set, negative if it was first; 10-call from",
            "the call of the commit. Each change set is checked against the ages before and after.",
            "grdb: ValueObservation.trackingConstantRegion of id and age, compared with the value",
            "before; sqlite: the same query after the commit.",
        ])
    static let sorted = Observation(
        name: "10s", conditions: [ObservedAges(above: age, isSorted: true)], commitCount: 2_000,
        peerCommitCount: 20, notes: ["as 10, the observed query sorted by the age."])
    static let hundred = Observation(
        name: "10q", conditions: (0..<100).map { ObservedAges(above: $0) }, commitCount: 200,
        peerCommitCount: 2,
        notes: [
            "as 10, with 100 observed queries, age > 0 to age > 99: 10q for the observer of",
            "age > 50, 10q-all until all observers concerned, nearly all, have their change sets.",
        ])

    /// The observer of row 10, and 99 others, each of one city.
    static let cities = Observation(
        name: "10r",
        conditions: [ObservedAges(above: age)]
            + (0..<99).map { ObservedAges(above: age, city: "city\($0)") },
        commitCount: 1_000, peerCommitCount: 2,
        notes: [
            "as 10q, but the 99 other queries are of age > 50 in one city each: a commit concerns",
            "about 8 of them.",
        ])

    func contenders(_ setting: Setting) async throws -> [Contender] {
        var contenders: [Contender] = []
        for engine in [Engine.regnum, .grdb, .sqlite] where setting.engines.contains(engine) {
            let count = engine == .regnum ? commitCount : peerCommitCount
            if count == 0 { continue }
            let observation = try await engine.observation(in: try await setting.stock.copy(engine))
            let crowd = AgingCrowd(setting.objectCount)
            contenders.append(
                Contender(engine) { try await measure(observation, crowd, count: count) })
        }
        return contenders
    }

    @concurrent
    private func measure(
        _ observation: any PeopleObservation, _ crowd: AgingCrowd, count: Int
    ) async throws -> [Sample] {
        let board = DeliveryBoard()
        board.expect(conditions.count)
        try await observation.begin(conditions, board)
        _ = try await board.reports()
        let measured = conditions.firstIndex { $0.above == Self.age } ?? 0

        var fromReturn: [Double] = []
        var fromCall: [Double] = []
        var untilAll: [Double] = []
        for _ in 0..<count {
            let (changes, expected) = crowd.nextChanges(Self.changeCount, conditions)
            board.expect(expected.count)
            let called = monotonicNanoseconds()
            try await observation.commit(changes)
            let returned = monotonicNanoseconds()
            try await observation.deliver()
            let reports = try await board.reports()
            try check(reports, against: expected)
            opaqueCall()
            // The ages of a commit may not concern the observer.
            guard let seen = reports[measured]?.nanoseconds,
                let last = reports.values.map(\.nanoseconds).max()
            else { continue }
            fromReturn.append(Double(seen - returned) / 1_000_000)
            fromCall.append(Double(seen - called) / 1_000_000)
            untilAll.append(Double(last - returned) / 1_000_000)
        }
        await observation.end()
        var samples = samples("", fromReturn) + samples("-call", fromCall)
        if conditions.count > 1 { samples += self.samples("-all", untilAll) }
        return samples
    }

    private func samples(_ suffix: String, _ values: [Double]) -> [Sample] {
        let title = name + suffix
        return [
            Sample(title, Statistics.percentile(values, 0.5), .milliseconds),
            Sample("\(title)-p99", Statistics.percentile(values, 0.99), .milliseconds),
        ]
    }

    /// Whether all observers concerned received exactly their changes.
    private func check(
        _ reports: [Int: DeliveryBoard.Report], against expected: [Int: AgeEffect]
    ) throws {
        guard reports.count == expected.count else {
            throw Failure("\(name): \(reports.count) change sets for \(expected.count) observers.")
        }
        for (observer, report) in reports {
            guard let effect = expected[observer],
                effect.agrees(with: report.delivery, isSorted: conditions[observer].isSorted)
            else { throw Failure("\(name): observer \(observer) received \(report.delivery).") }
        }
    }
}

/// The effect of a commit on an observer.
struct AgeEffect: Sendable {
    var leave = 0
    var join = 0
    var stay = 0

    /// In a sorted query, people who stay are modified or move.
    func agrees(with delivery: AgeDelivery, isSorted: Bool) -> Bool {
        guard isSorted else {
            return delivery.deletions == leave && delivery.insertions == join
                && delivery.modifications == stay
        }
        return delivery.deletions + delivery.modifications == leave + stay
            && delivery.insertions + delivery.modifications == join + stay
    }
}

/// The current ages of the people in a store.
final class AgingCrowd: Sendable {
    private struct State {
        var ages: [Int8]
        var generator = SeededGenerator(seed: People.seed ^ 0xA6E5)
    }

    private let state: Mutex<State>

    init(_ count: Int) {
        state = Mutex(State(ages: (0..<count).map { Int8(People.person($0).age) }))
    }

    /// Returns new ages for this many people, and their effects on the observers that they concern.
    func nextChanges(
        _ count: Int, _ conditions: [ObservedAges]
    ) -> ([AgeChange], [Int: AgeEffect]) {
        state.withLock { state in
            var changes: [AgeChange] = []
            var effects: [Int: AgeEffect] = [:]
            while changes.count < count {
                let id = Int.random(in: 0..<state.ages.count, using: &state.generator)
                if changes.contains(where: { $0.id == id }) { continue }
                let city = People.person(id).city
                let old = Int(state.ages[id])
                let new = (old + Int.random(in: 1..<100, using: &state.generator)) % 100
                state.ages[id] = Int8(new)
                changes.append(AgeChange(id: id, age: new))
                for (observer, condition) in conditions.enumerated()
                where condition.city.map({ $0 == city }) ?? true {
                    switch (old > condition.above, new > condition.above) {
                    case (true, true): effects[observer, default: AgeEffect()].stay += 1
                    case (true, false): effects[observer, default: AgeEffect()].leave += 1
                    case (false, true): effects[observer, default: AgeEffect()].join += 1
                    case (false, false): break
                    }
                }
            }
            return (changes, effects)
        }
    }
}
