import ChatKit
import Foundation
import Testing

struct SummaryTests {
    private func rows(_ ids: [String], versions: [UInt64], at: [UInt64]) throws -> [Summary.Row] {
        let lines = ids.indices.map { index in
            var line = JSONLine()
            line.add("change", "insert")
            line.add("id", ids[index])
            line.add("version", versions[index])
            line.add("at", at[index])
            return line.line + "\n"
        }
        return try Summary.lines(Summary.Row.self, in: Data(lines.joined().utf8))
    }

    private func commits() throws -> [Summary.Commit] {
        let text = """
            {"version":2,"at":1000,"messages":1}
            {"version":3,"at":2000,"messages":2}

            """
        return try Summary.lines(Summary.Commit.self, in: Data(text.utf8))
    }

    @Test func commitIsInHandWithTheFirstSetThatReachesIt() throws {
        // The second tail received both commits in one change set.
        let first = try rows(["a", "b", "c"], versions: [2, 3, 3], at: [1500, 2100, 2100])
        let second = try rows(["a", "b", "c"], versions: [3, 3, 3], at: [5000, 5000, 5000])
        let summary = Summary(imports: [try commits()], tails: [first, second])
        #expect(summary.written == 3)
        #expect(summary.received == [3, 3])
        #expect(summary.isComplete(before: 0))
        #expect(summary.latencies[0][0] == .init(p50Nanoseconds: 100, p99Nanoseconds: 500))
        #expect(summary.latencies[0][1] == .init(p50Nanoseconds: 3000, p99Nanoseconds: 4000))
    }

    @Test func anotherOrderIsNoticed() throws {
        let first = try rows(["a", "b", "c"], versions: [2, 3, 3], at: [1, 2, 2])
        let second = try rows(["a", "c", "b"], versions: [2, 3, 3], at: [1, 2, 2])
        let summary = Summary(imports: [try commits()], tails: [first, second])
        #expect(!summary.isOrderTheSame)
        #expect(summary.text(byteCount: 1).contains("NO"))
    }

    @Test func messageReceivedTwiceIsNoticed() throws {
        let rows = try rows(["a", "a", "c"], versions: [2, 3, 3], at: [1, 2, 2])
        #expect(!Summary(imports: [try commits()], tails: [rows, rows]).isComplete(before: 0))
    }

    @Test func missingMessageIsNoticed() throws {
        let rows = try rows(["a", "b"], versions: [2, 3], at: [1, 2])
        let summary = Summary(imports: [try commits()], tails: [rows, rows])
        #expect(summary.isOrderTheSame)
        #expect(!summary.isComplete(before: 0))
    }

    @Test func unfinishedLastLineIsLeftOut() throws {
        let data = Data("{\"version\":2,\"at\":1,\"messages\":1}\n{\"vers".utf8)
        #expect(try Summary.lines(Summary.Commit.self, in: data).count == 1)
    }
}
