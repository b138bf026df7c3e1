import Foundation
import InMemoryTracing
import Regnum
import RegnumWorkers
import Testing
import Tracing
import TraitModels

/// The spans of handlers, and how they are connected with those of the writes.
@Suite struct HandlerSpanTests {
    private let directory = TemporaryDirectory()
    private let tracer = InMemoryTracer()
    private let journal = Journal()

    @Test func aConsumersSpanHasLinksToTheWrites() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        try await withTracer(tracer) {
            try await start(realm)
            try await realm.addNotes(1)
            await journal.wait(for: "note 0")
        }
        let found = tracer.finishedSpans.first { span in
            span.attributes.get("db.collection.name") == "Note"
        }
        let write = try #require(found)
        let handler = try await finished("process Note")
        #expect(handler.kind == .consumer)
        #expect(handler.links.map(\.context.inMemorySpanContext?.spanID) == [write.spanID])
        #expect(handler.links.map(\.context.inMemorySpanContext?.traceID) == [write.traceID])
        #expect(handler.attributes.get("messaging.destination.name") == "Note")
        #expect(handler.attributes.get("messaging.consumer.group.name") == "index")
        #expect(handler.attributes.get("messaging.batch.message_count") == .int64(1))
        #expect(handler.attributes.get("regnum.attempt") == .int64(1))
        await realm.close()
    }

    /// The contexts come from the log: the consumer isn't running, and its process is another one.
    @Test func theWritesOfAnotherProcessAreLinked() async throws {
        var realm = try await Realm.open(.ofTests(directory.url))
        try await withTracer(tracer) {
            try await start(realm)
            await realm.close()
            #expect(try await runPeer(directory.url, noteCount: 2) == 0)
            realm = try await Realm.open(.ofTests(directory.url))
            try await start(realm)
            await journal.wait(for: "note 1")
        }
        let handlers = try await finished("process Note", linkCount: 2)
        let links = handlers.flatMap(\.links).compactMap(\.context.inMemorySpanContext)
        #expect(links.map(\.traceID) == ["peer-trace", "peer-trace"])
        #expect(Set(links.map(\.spanID)).count == 2)
        await realm.close()
    }

    @Test func theParentOfAJobsSpanIsTheWriteThatEnqueuedIt() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        let (tracer, journal) = (tracer, journal)
        let queue = JobQueue(of: Mail.self, in: realm, options: .ofTests)
        try await withTracer(tracer) {
            let id = try await realm.write { tx in
                try tx.enqueue(Mail(value: ["recipient": "ann"])).id
            }
            let write = try #require(tracer.finishedSpans.last)
            let run = Task {
                try await queue.run { run in
                    tracer.startSpan("send").end()
                    journal.add(run.job.recipient)
                }
            }
            await journal.wait(for: "ann")
            let handler = try await finished("process Mail")
            #expect(handler.parentSpanID == write.spanID)
            #expect(handler.traceID == write.traceID)
            #expect(handler.attributes.get("messaging.message.id") == .string("\(id)"))
            let inner = try await finished("send")
            #expect(inner.parentSpanID == handler.spanID)

            #expect(try await runPeerThatEnqueues(directory.url) == 0)
            await journal.wait(for: "peer")
            let other = try await finished("process Mail", after: 1)
            #expect(other.traceID == "peer-trace")
            #expect(other.parentSpanID?.hasPrefix("peer-") == true)
            run.cancel()
            try await run.value
        }
        await realm.close()
    }

    /// In a string, a line end or a colon can be one `Character` with what follows it.
    @Test func anyHeaderIsCarried() async throws {
        let tracer = InMemoryTracer(
            idGenerator: .init(
                nextTraceID: { "\u{301}trace\r" }, nextSpanID: { "\u{301}\(UUID())\r" }))
        let realm = try await Realm.open(.ofTests(directory.url))
        let journal = journal
        let queue = JobQueue(of: Mail.self, in: realm, options: .ofTests)
        try await withTracer(tracer) {
            _ = try await realm.write { tx in try tx.enqueue(Mail()).id }
            let write = try #require(tracer.finishedSpans.last)
            let run = Task { try await queue.run { _ in journal.add("begun") } }
            await journal.wait(for: "begun")
            run.cancel()
            try await run.value
            let handler = tracer.finishedSpans.first { $0.operationName == "process Mail" }
            #expect(handler?.parentSpanID == write.spanID)
            #expect(handler?.traceID == "\u{301}trace\r")
        }
        await realm.close()
    }

    /// As in the origin of a commit.
    @Test func aContextOfMoreThan4096BytesIsNotCarried() async throws {
        let long = String(repeating: "x", count: 5_000)
        let tracer = InMemoryTracer(
            idGenerator: .init(nextTraceID: { long }, nextSpanID: { "\(UUID())" }))
        let realm = try await Realm.open(.ofTests(directory.url))
        let journal = journal
        let queue = JobQueue(of: Mail.self, in: realm, options: .ofTests)
        try await withTracer(tracer) {
            _ = try await realm.write { tx in try tx.enqueue(Mail()).id }
            let run = Task { try await queue.run { _ in journal.add("begun") } }
            await journal.wait(for: "begun")
            run.cancel()
            try await run.value
            let handler = tracer.finishedSpans.first { $0.operationName == "process Mail" }
            #expect(handler != nil)
            #expect(handler?.parentSpanID == nil)
        }
        await realm.close()
    }

    @Test func aFailedHandlersSpanHasTheError() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        let journal = journal
        let queue = JobQueue(of: Mail.self, in: realm, options: .ofTests)
        try await withTracer(tracer) {
            _ = try await realm.write { tx in try tx.enqueue(Mail()).id }
            let run = Task {
                try await queue.run { _ in
                    journal.add("begun")
                    throw JobFailure.permanent("no such address")
                }
            }
            await journal.wait(for: "begun")
            let handler = try await finished("process Mail")
            #expect(handler.status?.code == .error)
            #expect(handler.attributes.get("error.type") == "JobFailure")
            run.cancel()
            try await run.value
        }
        await realm.close()
    }

    /// What a handler throws when what it was doing is cancelled is often another error.
    @Test func aCancelledHandlersSpanHasNoError() async throws {
        struct Aborted: Error {}
        let realm = try await Realm.open(.ofTests(directory.url))
        let journal = journal
        let queue = JobQueue(of: Mail.self, in: realm, options: .ofTests)
        try await withTracer(tracer) {
            try await realm.addNotes(1)
            _ = try await realm.write { tx in try tx.enqueue(Mail()).id }
            let runs = [
                Task {
                    try await queue.run { _ in
                        journal.add("job")
                        do { try await Task.sleep(for: .seconds(3_600)) } catch { throw Aborted() }
                    }
                },
                Task {
                    try await realm.consume(Note.self, as: "index", options: .ofTests) { _ in
                        journal.add("change")
                        do { try await Task.sleep(for: .seconds(3_600)) } catch { throw Aborted() }
                    }
                },
            ]
            await journal.wait(for: "job")
            await journal.wait(for: "change")
            for run in runs { run.cancel() }
            for run in runs { try await run.value }
            for name in ["process Mail", "process Note"] {
                let handler = try await finished(name)
                #expect(handler.status?.code != .error)
                #expect(handler.errors.isEmpty)
                #expect(handler.attributes.get("error.type") == nil)
            }
        }
        #expect(try await queue.counts().ready == 1)
        #expect(try await realm.consumers().first?.attempts == 0)
        await realm.close()
    }

    @Test func nothingIsCarriedWithoutATracer() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        let journal = journal
        let queue = JobQueue(of: Mail.self, in: realm, options: .ofTests)
        _ = try await realm.write { tx in try tx.enqueue(Mail(value: ["recipient": "ann"])).id }
        try await withTracer(tracer) {
            let run = Task { try await queue.run { run in journal.add(run.job.recipient) } }
            await journal.wait(for: "ann")
            let handler = try await finished("process Mail")
            #expect(handler.parentSpanID == nil)
            run.cancel()
            try await run.value
        }
        await realm.close()
    }

    // MARK: Tools

    /// Starts a consumer of notes, and waits until it has its position.
    private func start(_ realm: Realm) async throws {
        let journal = journal
        var options = ConsumerOptions.ofTests
        options.start = .changes
        Task { [options] in
            try await realm.consume(Note.self, as: "index", options: options) { batch in
                for note in batch.inserted { journal.add(note.text) }
            }
        }
        while try await realm.consumers().first?.cursor == nil {
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Waits for the end of a span, after others with the same name.
    private func finished(_ name: String, after count: Int = 0) async throws
        -> FinishedInMemorySpan
    {
        while true {
            let found = tracer.finishedSpans.filter { $0.operationName == name }
            if found.count > count { return found[count] }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Waits for the ends of spans that have a number of links together.
    private func finished(_ name: String, linkCount: Int) async throws -> [FinishedInMemorySpan] {
        while true {
            let found = tracer.finishedSpans.filter { $0.operationName == name }
            if found.reduce(0, { $0 + $1.links.count }) >= linkCount { return found }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
