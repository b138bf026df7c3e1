import Foundation
import Glibc
import Regnum
import RegnumEngine
import RegnumStore
import RegnumTestSupport
import Testing

/// Streams of processes that are stopped, die or are slow, on a realm that another process writes.
@Suite(.serialized) struct StreamProcessTests {
    /// Opens a realm whose log is trimmed after every few commits.
    private func openTrimmed(_ path: String) async throws -> Realm {
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: path)), objectTypes: [Room.self, Message.self])
        configuration.durability = .relaxed(within: .seconds(60))
        configuration.adjust = { options in
            options.store.firstSegmentByteCount = 64 << 10
            options.store.nodesSlackByteCount = 512 << 10
            options.checkpoint.maximumCommitCount = 50
            options.checkpoint.minimumClosingByteCount = .max
            options.checkpoint.paceNanoseconds = 0
            options.checkpoint.retryNanoseconds = 1_000_000
        }
        return try await Realm.open(configuration)
    }

    private func open(_ path: String) async throws -> Realm {
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: path)), objectTypes: [Room.self, Message.self])
        configuration.durability = .relaxed(within: .seconds(60))
        return try await Realm.open(configuration)
    }

    /// Writes until the checkpoints have removed that many segments of the log: a process can still
    /// read those that it had open.
    private func writeUntilTrimmed(
        _ writer: inout RoomWriter, _ realm: Realm, _ path: String
    ) async throws {
        var seen = Set(try logFiles(path))
        for _ in 0..<400 {
            let checkpoints = realm.stats().checkpoints
            try await writer.commit(realm, count: 100)
            // Commits don't wait for the disk, but checkpoints do.
            try await waitForNone(of: "checkpoints") {
                realm.stats().checkpoints > checkpoints ? 0 : 1
            }
            let files = try logFiles(path)
            seen.formUnion(files)
            if seen.count - files.count >= 12 { return }
        }
        Issue.record("the log was not trimmed: \(try logFiles(path))")
    }

    private func logFiles(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { $0.hasPrefix("log") }.sorted()
    }

    private func byteCount(_ path: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: path).reduce(0) { sum, name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }

    @Test func stoppedReaderGetsExactChangeSetsWithAllOrigins() async throws {
        try await withChildren { group in
            let realm = try await open(group.realm)
            var writer = RoomWriter()
            try await writer.commit(realm, count: 60)
            let reader = try group.start("follow", "general", "coalesce")
            _ = try await reader.lines(1)
            try reader.stop()
            writer.mark()
            try await writer.commit(realm, count: 500)
            reader.signal(SIGCONT)
            let reported = try await reader.reported(through: realm.stats().version)
            // As many elements as the process made of it while it caught up.
            expectEqual(reported.flatMap(\.origins), writer.expected(at: 0).origins)
            expectEqual(reported.last?.count, writer.alive.count)

            writer.mark()
            try await writer.commit(realm, count: 1)
            let next = try await reader.reported(through: realm.stats().version).last
            expectEqual(next, writer.expected(at: realm.stats().version))
            await realm.close()
        }
    }

    @Test func stoppedReaderHindersNobodyAndGoesOnExactlyAfterTrimming() async throws {
        try await withChildren { group in
            let realm = try await openTrimmed(group.realm)
            var writer = RoomWriter()
            try await writer.commit(realm, count: 60)
            let reader = try group.start("follow", "general", "coalesce")
            let other = try group.start("follow", "general", "coalesce")
            _ = try await reader.lines(1)
            _ = try await other.lines(1)
            try reader.stop()
            writer.mark()
            try await writeUntilTrimmed(&writer, realm, group.realm)
            let bytes = try byteCount(group.realm)
            try await writer.commit(realm, count: 2_000)
            let later = try byteCount(group.realm)
            // The log written while the reader was stopped is removed, whatever the reader has
            // read.
            expectTrue(later <= 2 * bytes + 4 << 20, "\(bytes), then \(later) bytes of files")
            expectTrue(realm.stats().keptSummaries == 0 && realm.stats().snapshots.isEmpty)
            expectEqual(reader.lineCount, 1)

            reader.signal(SIGCONT)
            let reported = try await reader.reported(through: realm.stats().version)
            expectEqual(reported.last?.count, writer.alive.count)
            // Where there is no log, versions are compared, which gives a single step. It may come
            // after the commits in the segments that the process had open.
            let origins = reported.flatMap(\.origins)
            expectTrue(Int(reported.last?.version ?? 0) > origins.count + 60)
            try await writer.commit(realm, count: 30)
            let version = realm.stats().version
            try await expectEqual(other.reported(through: version).last?.count, writer.alive.count)
            try await expectEqual(reader.reported(through: version).last?.count, writer.alive.count)
            await realm.close()
        }
    }

    // Covers O29
    @Test func everyCommitIsToldAfterAStopIfTheLogHasThem() async throws {
        try await withChildren { group in
            let realm = try await open(group.realm)
            var writer = RoomWriter()
            try await writer.commit(realm, count: 20)
            let reader = try group.start("follow", "general", "everyCommit")
            _ = try await reader.lines(1)
            try reader.stop()
            var expected: [ReportedChange] = []
            for _ in 0..<150 {
                writer.mark()
                try await writer.commit(realm, count: 1)
                expected.append(writer.expected(at: realm.stats().version))
            }
            reader.signal(SIGCONT)
            let reported = try await reader.lines(151).dropFirst().map { try ReportedChange($0) }
            expectEqual(reported, expected)
            await realm.close()
        }
    }

    // Covers O29
    @Test func everyCommitEndsWithHistoryTrimmedIfTheLogIsGone() async throws {
        try await withChildren { group in
            let realm = try await openTrimmed(group.realm)
            var writer = RoomWriter()
            try await writer.commit(realm, count: 20)
            let reader = try group.start("follow", "general", "everyCommit")
            _ = try await reader.lines(1)
            try reader.stop()
            try await writeUntilTrimmed(&writer, realm, group.realm)
            reader.signal(SIGCONT)
            try await reader.expectSuccess()
            expectEqual(reader.lines.last, "trimmed")
            await realm.close()
        }
    }

    // Covers O27
    @Test func killedReadersHinderNobody() async throws {
        try await withChildren { group in
            let realm = try await openTrimmed(group.realm)
            var writer = RoomWriter()
            try await writer.commit(realm, count: 20)
            let readers = try (0..<3).map { _ in try group.start("follow", "general", "coalesce") }
            for reader in readers { _ = try await reader.lines(1) }
            readers[0].signal(SIGKILL)
            try readers[1].stop()
            readers[1].signal(SIGKILL)
            try await writeUntilTrimmed(&writer, realm, group.realm)
            _ = try await readers[1].end()
            let reported = try await readers[2].reported(through: realm.stats().version)
            expectEqual(reported.last?.count, writer.alive.count)
            await realm.close()
        }
    }

    /// One change set per request, or a few, however many commits there were in between.
    @Test func slowReaderGetsWhatHappenedSinceItAskedLast() async throws {
        try await withChildren { group in
            let realm = try await open(group.realm)
            var writer = RoomWriter()
            try await writer.commit(realm, count: 20)
            let reader = try group.start("follow", "general", "coalesce", "stepwise")
            var lineCount = try await reader.lines(1).count
            for number in 1...12 {
                writer.mark()
                try await writer.commit(realm, count: number * 7)
                var reported: [ReportedChange] = []
                // It may ask before it has heard of the last commits.
                while reported.last?.version != realm.stats().version {
                    try reader.type(["next"])
                    lineCount += 1
                    reported.append(
                        try await ReportedChange(reader.lines(lineCount)[lineCount - 1]))
                }
                expectEqual(reported.flatMap(\.origins), writer.expected(at: 0).origins)
                expectEqual(reported.last?.count, writer.alive.count)
            }
            reader.closeInput()
            try await reader.expectSuccess()
            await realm.close()
        }
    }

    // Covers 13.2, O3
    @Test func commitsOfAKilledWriterAreToldExactly() async throws {
        try await withChildren { group in
            let realm = try await Realm.test(group.realm)
            let general = realm.objects(Message.self).where { $0.room == "general" }
            var stream = general.changes.makeAsyncIterator()
            _ = try await stream.next()
            let sender = try group.start("send", "general", "ann", "1000000")
            var reported: [String] = []
            while reported.count < 60 {
                guard case .update(_, let delta)? = try await stream.next() else { break }
                expectTrue(delta.deletions.isEmpty && delta.modifications.isEmpty)
                reported += delta.inserted.map { "\($0.messageID)" }
            }
            sender.signal(SIGKILL)
            _ = try await sender.end()
            let last = try await realm.write { tx in
                try tx.post(room: "general", author: "bob", text: "the last one")
            }
            while reported.last != "\(last)" {
                guard case .update(_, let delta)? = try await stream.next() else { break }
                reported += delta.inserted.map { "\($0.messageID)" }
            }
            await realm.close()
            try await expectEqual(Realm.messageIDs(group.realm), reported)
            // Acknowledged messages exist.
            expectTrue(Set(sender.lines).isSubset(of: reported))
        }
    }
}

extension ChildProcess {
    /// Returns what the child's stream reported, through a version.
    func reported(through version: UInt64) async throws -> [ReportedChange] {
        var count = 2
        while true {
            let reported = try await lines(count).dropFirst().map { try ReportedChange($0) }
            if let last = reported.last, last.version >= version { return reported }
            count = max(count + 1, lineCount)
        }
    }
}

/// A parsed line of the child.
struct ReportedChange: Hashable {
    var version: UInt64
    var deletions: Int
    var insertions: Int
    var modifications: Int
    /// The number of messages after it.
    var count: Int
    var origins: [String]

    init(
        version: UInt64, deletions: Int, insertions: Int, modifications: Int, count: Int,
        origins: [String]
    ) {
        self.version = version
        self.deletions = deletions
        self.insertions = insertions
        self.modifications = modifications
        self.count = count
        self.origins = origins
    }

    init(_ line: String) throws {
        let fields = line.split(separator: " ").map(String.init)
        let numbers = fields.dropFirst().prefix(5).compactMap { UInt64($0) }
        guard fields.first == "update", numbers.count == 5 else {
            throw ChildFailure("an update expected, not \"\(line)\"")
        }
        self.init(
            version: numbers[0], deletions: Int(numbers[1]), insertions: Int(numbers[2]),
            modifications: Int(numbers[3]), count: Int(numbers[4]),
            origins: fields.dropFirst(6).flatMap { $0.split(separator: ",").map(String.init) })
    }
}

/// Commits changes of a room's messages, and knows what a stream must report that has delivered
/// everything up to a mark.
struct RoomWriter {
    private(set) var alive: [ObjectId] = []
    private var known: Set<ObjectId> = []
    private var edited: Set<ObjectId> = []
    private var deletedCount = 0
    private var origins: [String] = []
    private var commitCount = 0

    /// Marks everything committed so far as delivered.
    mutating func mark() {
        known = Set(alive)
        edited = []
        deletedCount = 0
        origins = []
    }

    func expected(at version: UInt64) -> ReportedChange {
        ReportedChange(
            version: version, deletions: deletedCount,
            insertions: alive.count { !known.contains($0) },
            modifications: alive.count { known.contains($0) && edited.contains($0) },
            count: alive.count, origins: origins)
    }

    /// Makes commits, each with an origin of its own, that all change the room.
    mutating func commit(_ realm: Realm, count: Int) async throws {
        for _ in 0..<count {
            commitCount += 1
            let origin = "writer-\(commitCount)"
            origins.append(origin)
            let text = "text \(commitCount) " + String(repeating: "and more ", count: 20)
            if alive.count > 40, commitCount % 4 == 0 {
                let id = alive.remove(at: commitCount * 7 % alive.count)
                if known.contains(id) { deletedCount += 1 }
                try await realm.write(origin: origin) { tx in
                    if let message = tx.object(Message.self, forPrimaryKey: id) {
                        tx.delete(message)
                    }
                }
            } else if alive.count > 40, commitCount % 4 == 1 {
                let id = alive[commitCount * 11 % alive.count]
                edited.insert(id)
                try await realm.write(origin: origin) { tx in
                    tx.object(Message.self, forPrimaryKey: id)?.text = text
                }
            } else {
                let id = try await realm.write(origin: origin) { tx in
                    try tx.post(room: "general", author: "ann", text: text)
                }
                alive.append(id)
            }
        }
    }
}

extension Transaction {
    fileprivate func post(room: String, author: String, text: String) throws -> ObjectId {
        let message = Message()
        message.room = room
        message.author = author
        message.text = text
        try add(message)
        return message.id
    }
}
