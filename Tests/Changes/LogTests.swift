import Foundation
import Logging
import Regnum
import RegnumStore
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The messages that the library sends to a configuration's logger.
@Suite struct LogTests {
    @Test func normalWorkIsLoggedAtDebugAtMost() async throws {
        let records = LogRecords()
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "regnum-\(UUID().uuidString).realm")
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            var configuration = Realm.Configuration(location: .file(folder))
            configuration.logger = Logger(label: "test") { _ in RecordingHandler(records: records) }
            configuration.name = "logged"
            let realm = try await Realm.open(configuration)
            var stream = realm.objects(Room.self).changes.makeAsyncIterator()
            _ = try await nextInitial(&stream)
            try await realm.write { try $0.add(Room("general")) }
            _ = try await nextUpdate(&stream)
            _ = try? await realm.write { try $0.add(Room("general")) }
            await realm.close()
        }
        let all = records.all
        expectTrue(all.contains { $0.text == "opened" } && all.contains { $0.text == "closed" })
        expectTrue(all.allSatisfy { $0.level <= .debug && $0.realm == "logged" })
    }

    @Test func errorThatAReadThrowsIsNotLogged() async throws {
        enum Earlier {
            final class Paper: Object { @Persisted var text: String }
        }
        let records = LogRecords()
        var configuration = Realm.Configuration(
            location: .inMemory(identifier: "logged-\(UUID())"))
        configuration.logger = Logger(label: "test") { _ in RecordingHandler(records: records) }
        let realm = try await Realm.open(configuration)
        try await realm.write { try $0.add(Earlier.Paper()) }
        enum Later {
            final class Paper: Object { @Persisted var text: Int }
        }
        let later = try LaterProgram.core(of: realm)
        let error = #expect(throws: Realm.Error.self) {
            try later.snapshot().read { $0.objects(Later.Paper.self).isEmpty }
        }
        expectEqual(error?.code, .schemaMismatch)
        expectTrue(records.all.allSatisfy { $0.level <= .debug })
    }
}

/// The messages received by a logger.
private final class LogRecords: Sendable {
    struct Record: Sendable {
        let level: Logger.Level
        let text: String
        let realm: String
    }

    private let records = Guarded<[Record]>([])

    var all: [Record] { records.withLock { $0 } }

    func add(_ record: Record) {
        records.withLock { $0.append(record) }
    }
}

private struct RecordingHandler: LogHandler {
    let records: LogRecords
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    init(records: LogRecords) {
        self.records = records
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let realm = event.metadata?["realm"].map { "\($0)" } ?? ""
        records.add(.init(level: event.level, text: "\(event.message)", realm: realm))
    }
}
