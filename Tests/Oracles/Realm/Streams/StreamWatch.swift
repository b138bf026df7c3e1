import Regnum
import RegnumSimulation

/// A consumer of a stream, and what it was told.
protocol StreamWatch: AnyObject {
    var name: String { get }
    /// Starts at the newest version, with which the record ends.
    func begin(_ realm: Realm, _ record: StreamRecord) async throws
    /// Goes on from a cursor, on another iterator, where the newest version is that of the record.
    func resume(_ realm: Realm, _ record: StreamRecord) async throws
    /// Takes all that there must be, and checks it. The realm shows the newest version.
    func pull(_ record: StreamRecord) async throws
    /// The realm is closed: there must be nothing more.
    func end(_ record: StreamRecord) async throws
}

struct StreamFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

func expectEqual<T: Equatable>(
    _ found: T, _ expected: T, _ what: @autoclosure () -> String
) throws {
    if found != expected {
        throw StreamFailure("\(what()): found \(found), expected \(expected)")
    }
}

/// Where a stream stands, and to which version its next element leads.
struct StreamPosition {
    let policy: ChangePolicy
    /// The version that was delivered last.
    var version: UInt64 = 0
    /// Whether `.initial` was delivered, or is not to be.
    var hasBegun = false
    /// For a stream from a cursor: what was published when it began, to which its first step leads.
    private var resumedAt: UInt64?

    init(_ policy: ChangePolicy) { self.policy = policy }

    mutating func begin(_ record: StreamRecord) {
        version = record.version
        hasBegun = false
        resumedAt = nil
    }

    mutating func resume(_ record: StreamRecord) {
        hasBegun = true
        resumedAt = version == record.version ? nil : record.version
    }

    mutating func reach(_ new: UInt64) {
        version = new
        if let at = resumedAt, at <= new { resumedAt = nil }
    }

    /// The steps of which the first that tells anything is the next element.
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

    /// The step that an element tells of which leads to a version, where `step` was to come: a comparison may
    /// tell of what was set to the value that it had, one step before.
    func told(
        _ step: (from: UInt64, to: UInt64), _ version: UInt64, _ record: StreamRecord
    ) -> (from: UInt64, to: UInt64) {
        guard policy == .newest else { return step }
        return steps(record).first { $0.to == version } ?? step
    }
}

extension StreamModel {
    /// Throws unless an object is as a version has it. `.everyCommit` may show an old object as of
    /// any version since the last element.
    static func check(
        _ object: Frozen<Self>, _ worlds: [MirrorWorld], _ what: @autoclosure () -> String
    ) throws {
        let serial = serial(object)
        let content = content(object)
        if worlds.contains(where: { self.content($0, serial) == content }) { return }
        try expectEqual(
            content, worlds.last.map { self.content($0, serial) } ?? [], "\(what()) \(serial)")
    }
}

extension StreamFailure {
    /// Not the element came that had to come. Where the stream ended because the history is
    /// cancelled, it waited for one that did not come.
    static func missing(
        _ what: String, from old: UInt64, to new: UInt64
    ) -> StreamFailure {
        Task.isCancelled
            ? StreamFailure("waits for an element from \(old) to \(new)") : StreamFailure(what)
    }
}
