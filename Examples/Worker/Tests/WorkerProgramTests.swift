import Foundation
import Regnum
import Testing

/// The program from the perspective of its users.
@Suite(.serialized)
struct WorkerProgramTests {
    private let folders: WorkerFolders

    init() throws { folders = try WorkerFolders() }

    @Test func killedWorkersLoseNoJobAndRepeatOnlyWhatWasCutOff() async throws {
        #expect(try folders.run("enqueue", folders.images, "--samples", "8").code == 0)
        let watch = try folders.start("watch", "--json", "--until", "8")
        var killed: [String] = []
        for _ in 0..<3 {
            let worker = try startWorker(timeout: 1)
            while !(try folders.logContains("began", worker.id)) {
                try await Task.sleep(for: .milliseconds(5))
            }
            worker.send(SIGKILL)
            #expect(worker.end().code == SIGKILL)
            killed.append("\(worker.id)")
        }
        let worker = try startWorker(timeout: 1)
        var lines: [StateLine] = []
        while let line = watch.line() {
            lines.append(try JSONDecoder().decode(StateLine.self, from: Data(line.utf8)))
        }
        #expect(watch.end().code == 0)
        worker.send(SIGTERM)
        #expect(worker.end().code == 0)

        let last = try #require(lines.last)
        #expect(last.counts["done"] == 8 && last.attempts > 8)
        let running = lines.flatMap(\.changed).filter { $0.state == "running" }
        let progress = Set(running.map(\.progress))
        #expect(progress.count > 1 && progress.isSubset(of: [0, 0.2, 0.4, 0.6, 0.8]))

        let options = killed.map { "--killed=\($0)" }
        let report = try folders.run(
            "report", folders.output, "--expect", "8", options[0], options[1], options[2])
        #expect(report.code == 0, "\(report.errors)")
        let unexplained = try folders.run("report", folders.output, "--expect", "9")
        #expect(unexplained.code == 1)
        #expect(unexplained.errors.hasPrefix("worker: Jobs added: 9, but the realm has 8."))
        #expect(unexplained.errors.contains("runs were cut off or failed."))
    }

    @Test func damagedImagesAreDeadLetters() async throws {
        #expect(try folders.run("enqueue", folders.images, "--samples", "1").code == 0)
        let torn = URL(filePath: folders.images).appending(path: "torn.ppm")
        try Data("P6\n9 9\n255\n".utf8).write(to: torn)
        let second = try folders.start("enqueue", folders.images)
        #expect(second.line() == "Jobs added: 1; already waiting or running: 1.")
        let worker = try startWorker(timeout: 60)
        let watch = try folders.start("watch", "--until", "2")
        var last = ""
        while let line = watch.line() { last = line }
        #expect(last == "queued 0  running 0  failed 0  done 1  dead 1  attempts 2")
        worker.send(SIGINT)
        #expect(worker.end().code == 0)
        let report = try folders.start("report", folders.output)
        #expect(report.line() == "jobs        2: 1 done, 1 dead")
        #expect(report.end().code == 0)
    }

    @Test func watchEndsWithCtrlCAndWithItsReader() throws {
        let watch = try folders.start("watch")
        #expect(watch.line() == "queued 0  running 0  failed 0  done 0  dead 0  attempts 0")
        watch.send(SIGINT)
        #expect(watch.end() == (0, ""))

        let unread = try folders.start("watch", "--json")
        #expect(unread.line()?.contains(#""changed":[]"#) == true)
        try unread.closeOutput()
        #expect(try folders.run("enqueue", folders.images, "--samples", "1").code == 0)
        #expect(unread.end() == (0, ""))
    }

    @Test func wrongUsageIsExplained() throws {
        #expect(try folders.run("watch", "--poll").code == 64)
        let timeout = try folders.run("work", folders.output, "--timeout", "nan")
        #expect(timeout.code == 64 && timeout.errors.contains("--timeout must be from 0.1 to"))
        let missing = try folders.run("enqueue", folders.images)
        #expect(missing == (1, "worker: Can't read the folder \(folders.images).\n"))
        #expect(try folders.run("report", folders.output).code == 1)
    }

    @Test func realmsOfOtherClassesCanBeUsed() async throws {
        let books = try await open(Book.self)
        try await books.write { tx in _ = try tx.create(Book.self, value: ["title": "Emma"]) }
        await books.close()
        #expect(try folders.run("enqueue", folders.images, "--samples", "1").code == 0)
        let again = try await open(Book.self)
        #expect(again.snapshot().objects(Book.self).map(\.title) == ["Emma"])
        await again.close()
    }

    @Test func realmsWithAnotherThumbnailAreRefused() async throws {
        let other = try await open(Other.Thumbnail.self)
        try await other.write { tx in _ = try tx.create(Other.Thumbnail.self, value: ["name": 1]) }
        await other.close()
        let refused = try folders.run("enqueue", folders.images, "--samples", "1")
        #expect(refused.code == 1 && refused.errors.hasPrefix("worker: "))
        #expect(refused.errors.contains("Thumbnail.name"))
    }

    private func startWorker(timeout: Int) throws -> WorkerProcess {
        try folders.start("work", folders.output, "--timeout", "\(timeout)", "--pace", "100")
    }

    private func open(_ type: Object.Type) async throws -> Realm {
        try await Realm.open(
            Realm.Configuration(location: .file(folders.realm), objectTypes: [type]))
    }
}

/// A line of `watch --json`.
private struct StateLine: Decodable {
    struct Job: Decodable {
        var state: String
        var progress: Double
    }

    var counts: [String: Int]
    var attempts: Int
    var changed: [Job]
}

private final class Book: Object {
    @Persisted var title: String
}

private enum Other {
    final class Thumbnail: Object {
        @Persisted var name: Int
    }
}

extension WorkerFolders {
    /// Whether the log has an event of a worker.
    fileprivate func logContains(_ event: String, _ worker: CInt) throws -> Bool {
        guard let log = try? String(contentsOf: log, encoding: .utf8) else { return false }
        return log.split(separator: "\n").contains {
            $0.hasPrefix(event) && $0.hasSuffix(" \(worker)")
        }
    }
}
