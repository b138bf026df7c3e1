import RegnumEngine
import RegnumStore
import RegnumTestSupport
import Testing

/// The trace context of a write, which its commit's record carries behind the label.
@Suite struct RecordedOriginTests {
    private let trace = "traceparent:00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test func labelAndContextAreReadAsTheyWereRecorded() {
        let labels = [
            nil, "client 7", "é\u{301}", "a\u{0}b", "\u{0}trace:", "a\u{0}trace:b", "\u{0}",
        ]
        for label in labels {
            for trace in [nil, trace] {
                let recorded = RecordedOrigin(label: label, trace: trace).text
                let read = RecordedOrigin(text: recorded)
                expectEqual(read.label, label)
                expectEqual(read.trace, trace)
            }
        }
    }

    @Test func aLabelAloneIsRecordedAsItIs() {
        for label in [nil, "", "client 7", "a\u{0}b", "\u{0}", "\u{0}trace"] {
            expectEqual(RecordedOrigin(label: label).text, label)
            expectEqual(RecordedOrigin(text: label).label, label)
        }
    }

    @Test func theContextIsLeftOutIfItDoesNotFit() {
        let room = Limits.maximumOriginByteCount - trace.utf8.count - "\u{0}trace:".utf8.count
        for (count, isCarried) in [(room, true), (room + 1, false), (4_096, false)] {
            let label = String(repeating: "x", count: count)
            let read = RecordedOrigin(text: RecordedOrigin(label: label, trace: trace).text)
            expectEqual(read.label, label)
            expectEqual(read.trace, isCarried ? trace : nil)
        }
        // an empty label isn't the same as none
        expectEqual(RecordedOrigin(label: "", trace: trace).text, "")
    }

    @Test func commitsHaveBoth() throws {
        let transaction = EngineTransaction(
            base: .empty, origin: RecordedOrigin(label: "me", trace: trace).text)
        let table = try transaction.addTable(
            name: "A", columns: [ColumnDefinition(name: "n", type: .int)])
        _ = try transaction.insert(table, [.int(1)])
        let commit = try transaction.commit(timestampMicroseconds: 0)
        let (_, replayed) = try CommitRecord.apply(commit.body, to: .empty)
        for summary in [commit.summary, replayed] {
            expectEqual(summary.origin, "me")
            expectEqual(summary.trace, trace)
        }
    }
}
