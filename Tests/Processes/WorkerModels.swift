import Foundation
import Regnum
import RegnumTestSupport
import RegnumWorkers

// The classes as declared in the children.

final class Errand: Job {
    @Persisted var number: Int
    @Persisted var milliseconds: Int
}

final class Tally: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var count: Int
}

final class Event: Object {
    @Persisted var number: Int
}

final class Posting: Object {
    @Persisted var number: Int
    @Persisted var isLate: Bool
}

extension Realm {
    /// Opens the realm of a test as workers do.
    static func work(_ path: String, writeTimeout: Duration? = nil) async throws -> Realm {
        let types: [ObjectBase.Type] =
            [Errand.self, Tally.self, Event.self, Posting.self] + Workers.models
        var configuration = Configuration(
            location: .file(URL(filePath: path)), objectTypes: types)
        configuration.writeTimeout = writeTimeout
        return try await open(configuration)
    }
}

/// Waits until a number is zero. Fails if it stays the same for the time limit.
func waitForNone(of what: String, _ count: () async throws -> Int) async throws {
    var last: Int?
    var end = ContinuousClock.now + timeLimit
    while true {
        let count = try await count()
        if count == 0 { return }
        if count != last { (last, end) = (count, .now + timeLimit) }
        try require(ContinuousClock.now < end, "\(count) \(what) are left")
        try await Task.sleep(for: .milliseconds(5))
    }
}
