import RegnumSimulation
import RegnumStore

@testable import EngineOracle
@testable import RegnumEngine

/// The behavior of the hub by definition, at any cost: all commits are kept, and for each
/// subscription every commit is matched against every row.
struct HubModel {
    struct Step {
        let summary: CommitSummary
        let old: DatabaseRoot
        let new: DatabaseRoot
        /// Whether its changes are unknown.
        var isGap = false
    }

    struct Subscriber {
        let buffering: BufferingPolicy
        let interestAt: @Sendable (DatabaseRoot) -> Interest
        var interest: Interest
        var position: UInt64
        var since: UInt64?
        /// Whether what was kept since then is lost.
        var isGone = false
        var mustMove = false
        var origins: [String] = []
        var concerning: Set<UInt64> = []
    }

    private(set) var steps: [Step] = []
    /// The number of processed steps.
    private(set) var lookedCount = 0
    var subscribers: [Int: Subscriber] = [:]
    private(set) var signalCount = 0

    var looked: UInt64? { lookedCount == 0 ? nil : steps[lookedCount - 1].new.version }

    mutating func publish(_ step: Step) { steps.append(step) }

    mutating func look() {
        while lookedCount < steps.count {
            look(at: steps[lookedCount])
            lookedCount += 1
        }
    }

    mutating func move() {
        for id in subscribers.keys { subscribers[id]?.mustMove = true }
    }

    private mutating func look(at step: Step) {
        for (id, old) in subscribers where old.position < step.new.version {
            var subscriber = old
            if step.isGap {
                subscriber.since =
                    subscriber.since ?? max(subscriber.position, step.old.version)
                subscriber.isGone = true
                subscriber.concerning = []
            } else if HubModel.concerns(subscriber.interest, step) {
                signalCount += 1
                subscriber.since = subscriber.since ?? step.old.version
                subscriber.concerning.insert(step.new.version)
                if let origin = step.summary.origin, !subscriber.origins.contains(origin),
                    HubModel.holds(subscriber.interest, step)
                {
                    subscriber.origins.append(origin)
                }
            }
            subscriber.interest = subscriber.interestAt(step.new)
            subscribers[id] = subscriber
        }
    }

    /// Returns what the subscriber receives: its state before, with the steps after `since`; if it
    /// keeps each commit, up to the last of the given number of commits that concern it.
    mutating func take(
        _ id: Int, maximumCount: Int
    ) -> (subscriber: Subscriber, steps: [Step])? {
        guard let subscriber = subscribers[id], subscriber.since != nil || subscriber.mustMove
        else { return nil }
        let looked = steps[..<lookedCount]
        let versions = subscriber.concerning.sorted()
        if !subscriber.isGone, subscriber.buffering.buffersEach, versions.count > maximumCount,
            let since = subscriber.since
        {
            let last = versions[maximumCount - 1]
            subscribers[id]?.position = last
            subscribers[id]?.since = versions[maximumCount] - 1
            subscribers[id]?.concerning.subtract(versions[..<maximumCount])
            return (subscriber, looked.filter { $0.new.version > since && $0.new.version <= last })
        }
        subscribers[id] = Subscriber(
            buffering: subscriber.buffering, interestAt: subscriber.interestAt,
            interest: subscriber.interest,
            position: max(looked.last?.new.version ?? 0, subscriber.position))
        let since = subscriber.since ?? .max
        return (subscriber, looked.filter { $0.new.version > since })
    }

    /// The versions whose roots must be held.
    var heldVersions: Set<UInt64> {
        subscribers.values.filter { $0.buffering == .versions && !$0.isGone }
            .reduce(into: []) { $0.formUnion($1.concerning) }
    }

    // MARK: Concern

    static func concerns(_ interest: Interest, _ step: Step) -> Bool {
        if step.old.schema.tables != step.new.schema.tables { return true }
        if step.old.schema.version != step.new.schema.version { return true }
        return holds(interest, step)
    }

    /// Whether the commit's origin is reported.
    private static func holds(_ interest: Interest, _ step: Step) -> Bool {
        interest.terms.contains { holds($0, step) }
    }

    private static func holds(_ term: Interest.Term, _ step: Step) -> Bool {
        switch term {
        case .all:
            return true
        case .table(let name):
            return step.summary.tables.values.contains { $0.tableName == name.wrappedValue }
        case .value(let name, let column, let value):
            let rows = touchedRows(name.wrappedValue, step.summary)
            return [step.old, step.new].contains { root in
                guard let table = root.schema.table(named: name.wrappedValue),
                    let column = table.column(named: column.wrappedValue)
                else { return false }
                return root.keys(table.key).contains { row in
                    rows.all.contains(row)
                        && isEqual(root.value(table.key, row, column.key), value)
                }
            }
        case .elements(let name, let className, let list, let owner):
            let rows = touchedRows(name.wrappedValue, step.summary)
            return [step.old, step.new].contains { root in
                guard let table = root.schema.table(named: className.wrappedValue),
                    let list = table.list(named: list.wrappedValue),
                    root.schema.tables[Int(list.target.rawValue)].name == name.wrappedValue
                else { return false }
                return root.list(table.key, owner, list.key).contains { rows.changed.contains($0) }
            }
        }
    }

    private static func touchedRows(
        _ name: String, _ summary: CommitSummary
    ) -> (all: Set<ObjectKey>, changed: Set<ObjectKey>) {
        guard let delta = summary.delta(tableName: name) else { return ([], []) }
        var changed = Set(delta.modified.map(\.key))
        for changes in delta.listChanges.values { changed.formUnion(changes.map(\.row)) }
        return (changed.union(delta.inserted).union(delta.deleted), changed)
    }

    private static func isEqual(_ stored: Value?, _ value: Value) -> Bool {
        switch (stored, value) {
        case (.double(let x)?, .double(let y)), (.date(let x)?, .date(let y)): x == y
        case (.double(let x)?, .int(let y)), (.int(let y)?, .double(let x)):
            Int64(exactly: x) == y
        default: stored == value
        }
    }
}
