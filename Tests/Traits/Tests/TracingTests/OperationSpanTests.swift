import Foundation
import InMemoryTracing
import Regnum
import RegnumWorkers
import Testing
import Tracing
import TraitModels

/// The spans of writes, migrations and compactions.
@Suite struct OperationSpanTests {
    private let directory = TemporaryDirectory()
    private let tracer = InMemoryTracer()
    private var name: String { directory.url.lastPathComponent }

    @Test func aWriteIsASpanWithWhatItChanged() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        try await withTracer(tracer) {
            try await realm.write { tx in
                try tx.create(Note.self, value: ["text": "a"])
                try tx.create(Note.self, value: ["text": "b"])
            }
            try await realm.write(origin: "client 7") { tx in
                let notes = tx.objects(Note.self)
                notes[0].text = "c"
                tx.delete(notes[1])
                try tx.create(Ticket.self, value: ["expiresAt": Date.distantFuture])
            }
        }
        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["write \(name)", "write \(name)"])
        let (first, second) = (spans[0].attributes, spans[1].attributes)
        #expect(spans.map(\.kind) == [.internal, .internal])
        #expect(first.get("db.system.name") == "regnum")
        #expect(first.get("db.namespace") == .string(name))
        #expect(first.get("db.operation.name") == "write")
        #expect(first.get("db.collection.name") == "Note")
        #expect(first.get("regnum.inserted") == .int64Array([2]))
        #expect(first.get("regnum.origin") == nil)
        #expect(second.get("db.collection.name") == nil)
        #expect(second.get("regnum.classes") == .stringArray(["Note", "Ticket"]))
        #expect(second.get("regnum.inserted") == .int64Array([0, 1]))
        #expect(second.get("regnum.modified") == .int64Array([1, 0]))
        #expect(second.get("regnum.deleted") == .int64Array([1, 0]))
        #expect(second.get("regnum.origin") == "client 7")
        let version = realm.stats().version
        #expect(second.get("regnum.version") == .int64(Int64(version)))
        #expect(try integer(second, "regnum.record.bytes") > 20)
        let commit = try seconds(second, "regnum.commit.duration")
        let sync = try seconds(second, "regnum.sync.duration")
        #expect(sync > 0)
        #expect(commit >= sync)
        #expect(try seconds(second, "regnum.wait.duration") >= 0)
        #expect(try seconds(second, "regnum.body.duration") > 0)
        await realm.close()
    }

    @Test func theBodyRunsInTheSpanWhoseParentIsTheCallers() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        let (tracer, outer) = (tracer, "request")
        try await withTracer(tracer) {
            try await tracer.withSpan(outer) { _ in
                try await realm.write { tx in
                    try tracer.withSpan("body") { _ in
                        _ = try tx.create(Note.self, value: ["text": "a"])
                    }
                }
            }
        }
        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["body", "write \(name)", outer])
        #expect(spans[0].parentSpanID == spans[1].spanID)
        #expect(spans[1].parentSpanID == spans[2].spanID)
        await realm.close()
    }

    @Test func errorsAreRecorded() async throws {
        struct Refusal: Error {}
        let realm = try await Realm.open(.ofTests(directory.url))
        await withTracer(tracer) {
            await #expect(throws: Refusal.self) {
                try await realm.write { _ in throw Refusal() }
            }
            await #expect(throws: Realm.Error.self) {
                try await realm.write(origin: String(repeating: "x", count: 5_000)) { _ in }
            }
        }
        let spans = tracer.finishedSpans
        #expect(spans.map(\.status?.code) == [.error, .error])
        #expect(spans[0].attributes.get("error.type") == "Refusal")
        #expect(spans[1].attributes.get("error.type") == "invalidInput")
        #expect(spans.map(\.errors.count) == [1, 1])
        await realm.close()
    }

    @Test func migrationsAndCompactionsAreSpans() async throws {
        var configuration = Realm.Configuration.ofTests(directory.url)
        var realm = try await Realm.open(configuration)
        try await realm.addNotes(3)
        await realm.close()
        configuration.schemaVersion = 1
        configuration.migration = { migration, _ in
            try migration.enumerateObjects(ofType: "Note") { _, new in
                guard let new else { return }
                new["text"] = "migrated"
            }
        }
        realm = try await withTracer(tracer) { [configuration] in
            let realm = try await Realm.open(configuration)
            try await realm.compact()
            return realm
        }
        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["migrate \(name)", "compact \(name)"])
        #expect(spans[0].attributes.get("regnum.modified") == .int64Array([3]))
        #expect(try integer(spans[1].attributes, "regnum.bytes.after") > 0)
        await realm.close()
    }

    @Test func commitsKeepTheirLabels() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        var commits = realm.commits.makeAsyncIterator()
        // no context fits behind the longest label
        let labels = ["own", nil, "", String(repeating: "x", count: 4_096), "a\u{0}trace:b"]
        try await withTracer(tracer) {
            for label in labels {
                try await realm.write(origin: label) { tx in
                    _ = try tx.create(Note.self, value: ["text": "a"])
                }
            }
        }
        for label in labels {
            let commit = try await commits.next()
            #expect(commit?.origin == label)
        }
        var others = realm.objects(Note.self)
            .changes(
                policy: .everyCommit, since: realm.snapshot().cursor, excludingOrigins: ["own"]
            )
            .makeAsyncIterator()
        try await withTracer(tracer) {
            for label in ["own", "other"] {
                try await realm.write(origin: label) { tx in
                    _ = try tx.create(Note.self, value: ["text": "b"])
                }
            }
        }
        guard case .update(_, let delta)? = try await others.next() else {
            Issue.record("no update")
            return
        }
        #expect(delta.origins == ["other"])
        await realm.close()
    }

    private func seconds(_ attributes: SpanAttributes, _ name: String) throws -> Double {
        guard case .double(let value) = try #require(attributes.get(name)) else {
            Issue.record("\(name) isn't a number")
            return 0
        }
        return value
    }

    private func integer(_ attributes: SpanAttributes, _ name: String) throws -> Int64 {
        guard case .int64(let value) = try #require(attributes.get(name)) else {
            Issue.record("\(name) isn't an integer")
            return 0
        }
        return value
    }
}
