package import Foundation

/// Compares the messages that writers wrote with those that several tails received, based on their
/// JSON lines.
package struct Summary: Sendable {
    /// A line of `chat import --json`.
    package struct Commit: Decodable, Sendable {
        package var version: UInt64
        package var at: UInt64
        package var messages: Int
    }

    /// The parts of a line of `chat tail --json` that a summary needs.
    package struct Row: Decodable, Sendable {
        package var change: String
        package var id: String
        package var version: UInt64
        package var at: UInt64
    }

    package struct Latency: Hashable, Sendable {
        package var p50Nanoseconds: Int64
        package var p99Nanoseconds: Int64

        package init(p50Nanoseconds: Int64, p99Nanoseconds: Int64) {
            self.p50Nanoseconds = p50Nanoseconds
            self.p99Nanoseconds = p99Nanoseconds
        }
    }

    package let written: Int
    package let commitCount: Int
    /// The messages that each tail received, in the order of the tails.
    package let received: [Int]
    /// Whether each tail received each message once, and all in the same order.
    package let isOrderTheSame: Bool
    /// The time from the publication of a commit to the receipt of the change set with it, per
    /// import and tail; `nil` if no commit was seen.
    package let latencies: [[Latency?]]
    /// Messages per commit of each import, rounded.
    package let batches: [Int]

    /// `imports` are the commits of the writers, one after the other; `tails` are the rows of each
    /// reader in order of arrival.
    package init(imports: [[Commit]], tails: [[Row]]) {
        let commits = imports.flatMap { $0 }
        written = commits.reduce(0) { $0 + $1.messages }
        commitCount = commits.count
        batches = imports.map { commits in
            (commits.reduce(0) { $0 + $1.messages } + commits.count / 2) / max(commits.count, 1)
        }
        let orders = tails.map { rows in rows.filter { $0.change == "insert" }.map(\.id) }
        received = orders.map(\.count)
        isOrderTheSame = orders.allSatisfy { $0 == orders[0] && Set($0).count == $0.count }
        latencies = imports.map { commits in tails.map { Self.latency(of: commits, in: $0) } }
    }

    /// Whether the tails received everything that was written, in the same order. `before` messages
    /// were in the room before the writer began.
    package func isComplete(before: Int) -> Bool {
        isOrderTheSame && received.allSatisfy { $0 == written + before }
    }

    /// A change set may contain several commits: a commit is received with the first change set
    /// that reaches its version.
    private static func latency(of commits: [Commit], in rows: [Row]) -> Latency? {
        let sets = rows.map { ($0.version, $0.at) }.sorted { $0 < $1 }
        var samples: [Int64] = []
        var position = 0
        for commit in commits.sorted(by: { $0.version < $1.version }) {
            while position < sets.count, sets[position].0 < commit.version { position += 1 }
            guard position < sets.count else { break }
            samples.append(Int64(bitPattern: sets[position].1 &- commit.at))
        }
        guard !samples.isEmpty else { return nil }
        samples.sort()
        return Latency(
            p50Nanoseconds: percentile(50, of: samples), p99Nanoseconds: percentile(99, of: samples)
        )
    }

    /// Returns a percentile of sorted samples by the nearest-rank method.
    private static func percentile(_ percent: Int, of samples: [Int64]) -> Int64 {
        samples[max(0, (samples.count * percent + 99) / 100 - 1)]
    }
}

extension Summary {
    /// Parses the JSON lines of a file. Throws the decoder's error for the first malformed line; a
    /// last line without a line break (from a killed reader) is ignored.
    package static func lines<Line: Decodable>(_ type: Line.Type, in data: Data) throws -> [Line] {
        var lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)
        if let last = data.last, last != UInt8(ascii: "\n") { lines.removeLast() }
        let decoder = JSONDecoder()
        return try lines.map { try decoder.decode(type, from: $0) }
    }

    /// Returns the human-readable summary. `byteCount` is the realm's size on disk.
    package func text(byteCount: Int) -> String {
        var lines = ["messages written    \(written) in \(commitCount) commits"]
        for (index, count) in received.enumerated() {
            lines.append("received by tail \(index + 1)  \(count)")
        }
        lines.append("same order          \(isOrderTheSame ? "yes, each message once" : "NO")")
        lines.append(
            "latency from the return of write to the receipt of the change set in another process")
        lines.append("(negative: received before write returned):")
        for (batch, latencies) in zip(batches, latencies) {
            lines.append("  \(batch == 1 ? "one message" : "\(batch) messages") per commit")
            for (index, latency) in latencies.enumerated() {
                let figures =
                    latency.map {
                        "p50 \(micros($0.p50Nanoseconds)), p99 \(micros($0.p99Nanoseconds))"
                    } ?? "no commit seen"
                lines.append("            tail \(index + 1)  \(figures)")
            }
        }
        lines.append("bytes on disk       \(byteCount)")
        return lines.joined(separator: "\n")
    }

    private func micros(_ nanoseconds: Int64) -> String {
        "\((Double(nanoseconds) / 100).rounded() / 10) us"
    }
}
