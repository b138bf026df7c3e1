import Regnum
import RegnumSimulation

/// A consumer of a stream, and what it has received.
protocol StreamWatch: AnyObject {
    var name: String { get }
    /// Starts at the newest version, which is the last of the record.
    func begin(_ realm: Realm, _ record: StreamRecord) async throws
    /// Resumes from a cursor with another iterator; the record's newest version is published.
    func resume(_ realm: Realm, _ record: StreamRecord) async throws
    /// Consumes and checks everything that is due. The realm shows the newest version.
    func pull(_ record: StreamRecord) async throws
    /// Checks that the stream ends after the realm was closed.
    func end(_ record: StreamRecord) async throws
}

struct StreamFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

func requireEqual<T: Equatable>(
    _ found: T, _ expected: T, _ what: @autoclosure () -> String
) throws {
    if found != expected {
        throw StreamFailure("\(what()): found \(found), expected \(expected)")
    }
}

/// The position of a stream, and the version to which its next element leads.
struct StreamPosition {
    let policy: ChangePolicy
    /// The version that was delivered last.
    var version: UInt64 = 0
    /// Whether `.initial` was delivered, or isn't expected.
    var hasBegun = false
    /// For a stream resumed from a cursor: the version published when it began, to which its first
    /// step leads.
    private var resumedAt: UInt64?
    /// Whether elements result from a comparison of two versions.
    private(set) var isCompared = false

    init(_ policy: ChangePolicy) { self.policy = policy }

    mutating func begin(_ record: StreamRecord) {
        version = record.version
        hasBegun = false
        resumedAt = nil
        isCompared = policy == .newest || policy == .coalesce && !record.keepsSummaries
    }

    mutating func resume(_ record: StreamRecord) {
        hasBegun = true
        resumedAt = version == record.version ? nil : record.version
    }

    mutating func reach(_ new: UInt64) {
        version = new
        if let at = resumedAt, at <= new { resumedAt = nil }
    }

    /// Returns the candidate steps; the first with a change is the next element.
    func steps(_ record: StreamRecord) -> [(from: UInt64, to: UInt64)] {
        if policy == .everyCommit {
            return (version..<record.version).map { ($0, $0 + 1) }
        }
        var steps: [(from: UInt64, to: UInt64)] = []
        var from = version
        for to in [resumedAt, record.version].compactMap({ $0 }) where to > from {
            steps.append((from, to))
            from = to
        }
        return steps
    }

    /// Returns the step that an element for a version reports where `step` was expected: a
    /// comparison may report a value that was set to its old value one step earlier.
    func told(
        _ step: (from: UInt64, to: UInt64), _ version: UInt64, _ record: StreamRecord
    ) -> (from: UInt64, to: UInt64) {
        guard isCompared else { return step }
        return steps(record).first { $0.to == version } ?? step
    }
}

extension StreamModel {
    /// Throws unless an object is as in one of the versions. `.everyCommit` may show an old object
    /// as of any version since the last element.
    static func check(
        _ object: Frozen<Self>, _ worlds: [MirrorWorld], _ what: @autoclosure () -> String
    ) throws {
        let serial = serial(object)
        let content = content(object)
        if worlds.contains(where: { self.content($0, serial) == content }) { return }
        try requireEqual(
            content, worlds.last.map { self.content($0, serial) } ?? [], "\(what()) \(serial)")
    }
}

extension StreamModel {
    /// Throws unless objects of two versions are equal exactly where they should be: those that
    /// nothing was done to have to be, and those that are have the same content.
    static func checkEquality(
        _ old: FrozenResults<Self>, _ new: FrozenResults<Self>, _ record: StreamRecord
    ) throws {
        let step = record.step(old.version, new.version)
        let before = Dictionary(old.map { (serial($0), $0) }) { first, _ in first }
        for object in new {
            let serial = serial(object)
            guard let earlier = before[serial], let row = step.new[serial] else { continue }
            if earlier == object {
                try requireEqual(
                    step.old.content(serial), step.new.content(serial), "the equal \(serial)")
            } else {
                // Embedded objects are part of the content.
                let boxes = row.kind.properties.indices.filter {
                    row.kind.properties[$0].kind.target == .box
                }
                let rows = [serial] + boxes.flatMap { row.targets($0) }
                if rows.allSatisfy({ step.own[$0] == nil }) {
                    throw StreamFailure("\(serial) differs, but nothing was done to it")
                }
            }
        }
    }
}

extension StreamFailure {
    /// Returns the failure for an expected element that didn't arrive. If the stream ended because
    /// the history was cancelled, it was waiting for that element.
    static func missing(
        _ what: String, from old: UInt64, to new: UInt64
    ) -> StreamFailure {
        Task.isCancelled
            ? StreamFailure("no element from \(old) to \(new)") : StreamFailure(what)
    }
}
