import Foundation
import Regnum
import RegnumJSON
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Imports from and exports to pipes whose other end is slow.
@Suite(.timeLimit(.minutes(8))) struct JSONPipeTests {
    private let folder: RealmFolder
    private let realm: Realm

    init() async throws {
        folder = try RealmFolder()
        realm = try await Realm.json(jsonTypes)
    }

    /// Stores more than fits into a pipe.
    private func fill() async throws {
        try await realm.write { tx in
            for tag in 0..<300 {
                try tx.create(
                    JSONThing.self,
                    value: ["tag": tag, "text": String(repeating: "x", count: 1_000)])
            }
        }
    }

    private func makePipe() throws -> URL {
        let url = folder["pipe"]
        try #require(mkfifo(url.path, 0o600) == 0)
        return url
    }

    @Test func textGoesThroughAPipe() async throws {
        try await fill()
        let url = try makePipe()
        let snapshot = realm.snapshot()
        let other = try await Realm.json()
        async let written = snapshot.exportJSON(to: url)
        try await expectEqual(other.importJSON(from: url).objectCount, 300)
        try await expectEqual(written, 300)
        let (text, copy) = (try await snapshot.json(), try await other.snapshot().json())
        expectEqual(
            copy.split(separator: "\n").dropFirst(), text.split(separator: "\n").dropFirst())
    }

    /// The other end of a pipe, which keeps it open.
    private final class OtherEnd {
        let descriptor: Int32

        init(_ url: URL) { descriptor = open(url.path, O_RDWR | O_NONBLOCK | O_CLOEXEC) }

        deinit { close(descriptor) }

        func write(_ text: String) -> Bool {
            Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count
        }

        /// Whether the pipe is full.
        var isFull: Bool {
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            return poll(&entry, 1, 0) == 0
        }
    }

    @Test func cancelledImportLeavesThePipeThatItWaitsFor() async throws {
        let url = try makePipe()
        let task = Task { [realm] in try await realm.importJSON(from: url, batchSize: 1) }
        let other = OtherEnd(url)
        #expect(other.write(#"{"class":"JSONThing","key":1,"values":{"tag":1}}"# + "\n{"))
        for try await change in realm.objects(JSONThing.self).changes {
            if change.collection.count == 1 { break }
        }
        // it waits for the rest of the line
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        expectEqual(realm.snapshot().objects(JSONThing.self).map(\.tag), [1])
        expectTrue(other.write("}"))
    }

    @Test func cancelledExportLeavesThePipeThatItWaitsFor() async throws {
        try await fill()
        let url = try makePipe()
        let task = Task { [realm] in try await realm.snapshot().exportJSON(to: url) }
        let other = OtherEnd(url)
        while !other.isFull { await Task.yield() }
        // it waits for a reader
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        expectTrue(other.isFull)
    }

    /// The signal would end the process, and its disposition belongs to the program.
    // Covers .ioFailed
    @Test func pipeThatItsReaderClosesIsAnError() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let tests = try await JSONPipeTests()
            try await tests.fill()
            let url = try tests.makePipe()
            let snapshot = tests.realm.snapshot()
            let task = Task { try await snapshot.exportJSON(to: url) }
            var reader: OtherEnd? = OtherEnd(url)
            while reader?.isFull == false { await Task.yield() }
            reader = nil
            let error = await #expect(throws: Realm.Error.self) { try await task.value }
            expectTrue(error?.code == .ioFailed && error?.path == url.path)
            var action = sigaction()
            expectEqual(sigaction(SIGPIPE, nil, &action), 0)
            expectNil(action.__sigaction_handler.sa_handler)
        }
    }

    @Test func pipesThatNobodyOpensAreLeftWhenTheTaskIsCancelled() async throws {
        let url = try makePipe()
        let importing = Task { [realm] in try await realm.importJSON(from: url) }
        importing.cancel()
        await #expect(throws: CancellationError.self) { try await importing.value }
        let exporting = Task { [realm] in try await realm.snapshot().exportJSON(to: url) }
        exporting.cancel()
        await #expect(throws: CancellationError.self) { try await exporting.value }
        try expectEqual(folder.names(), ["pipe"])
    }
}
