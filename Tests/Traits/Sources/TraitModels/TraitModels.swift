public import Foundation
public import Regnum
public import RegnumWorkers
internal import Synchronization

/// An object of the tests.
public final class Note: Object {
    @Persisted public var text: String
}

/// An object that expires.
public final class Ticket: Object {
    @Persisted(indexed: true) public var expiresAt: Date
}

/// A job of the tests.
public final class Mail: Job {
    @Persisted public var recipient: String
}

extension Realm.Configuration {
    /// The configuration of the realm in a directory, with all classes of the tests and no logging.
    public static func ofTests(_ directory: URL) -> Realm.Configuration {
        var configuration = Realm.Configuration(location: .file(directory))
        configuration.objectTypes = [Note.self, Ticket.self, Mail.self] + Workers.models
        configuration.logger = nil
        return configuration
    }
}

extension Realm {
    /// Adds notes, each in a commit of its own.
    public nonisolated func addNotes(_ count: Int) async throws {
        for number in 0..<count {
            try await write { tx in try tx.create(Note.self, value: ["text": "note \(number)"]) }
        }
    }
}

extension JobOptions {
    /// Options without logging, and with retries that don't happen during a test.
    public static var ofTests: JobOptions {
        var options = JobOptions()
        options.logger = nil
        options.retry = RetryPolicy(attempts: 5, delay: .seconds(3_600))
        return options
    }
}

extension ConsumerOptions {
    /// Options without logging, and with retries that don't happen during a test.
    public static var ofTests: ConsumerOptions {
        var options = ConsumerOptions()
        options.logger = nil
        options.retry = RetryPolicy(attempts: 5, delay: .seconds(3_600))
        return options
    }
}

/// A directory for a realm, which is removed with the value.
public final class TemporaryDirectory: Sendable {
    public let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).realm")

    public init() {}

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// What handlers report to a test, in order.
public final class Journal: Sendable {
    private let lines = Mutex<[String]>([])
    private let stream = AsyncStream<Void>.makeStream()

    public init() {}

    public var all: [String] { lines.withLock { $0 } }

    public func add(_ line: String) {
        lines.withLock { $0.append(line) }
        stream.continuation.yield()
    }

    /// Waits until a line was added. Only one task may wait at a time.
    public func wait(for line: String) async {
        var iterator = stream.stream.makeAsyncIterator()
        while !all.contains(line) { await iterator.next() }
    }
}
