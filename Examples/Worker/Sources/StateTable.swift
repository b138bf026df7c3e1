import Foundation
import Regnum
import RegnumWorkers

/// The states of all jobs, kept up to date with the changes of a stream.
struct StateTable {
    private(set) var rows: [String: JobRow] = [:]
    private(set) var counts = Dictionary(
        uniqueKeysWithValues: JobRow.State.allCases.map { ($0.rawValue, 0) })
    private var attempts = 0

    /// Applies an element of the stream, and returns the jobs that are new or have changed.
    mutating func apply(_ change: CollectionChange<Thumbnail>) -> [JobRow] {
        let changed: [JobRow]
        switch change {
        case .initial(let jobs):
            changed = jobs.map { JobRow($0) }
        case .update(_, let delta):
            for job in delta.deleted { remove("\(job.id)") }
            changed = (delta.inserted + delta.modified.map(\.new)).map { JobRow($0) }
        }
        for row in changed { set(row) }
        return changed
    }

    /// Adds a job, or replaces its previous state.
    mutating func set(_ row: JobRow) {
        remove(row.id)
        rows[row.id] = row
        counts[row.state.rawValue, default: 0] += 1
        attempts += row.attempts
    }

    mutating func remove(_ id: String) {
        guard let row = rows.removeValue(forKey: id) else { return }
        counts[row.state.rawValue, default: 0] -= 1
        attempts -= row.attempts
    }

    func count(_ state: JobRow.State) -> Int { counts[state.rawValue, default: 0] }

    /// The number of jobs that are done or were given up on.
    var finishedCount: Int { count(.done) + count(.dead) }

    /// The number of jobs in each state, and of all attempts.
    var countsLine: String {
        JobRow.State.allCases.map { "\($0) \(count($0))" }.joined(separator: "  ")
            + "  attempts \(attempts)"
    }

    /// The table for a terminal: the counts, then running jobs, failed ones and dead letters.
    func lines(columns: Int, limit: Int) -> [String] {
        let order: [JobRow.State] = [.running, .failed, .dead]
        let shown = order.flatMap { state in
            rows.values.filter { $0.state == state }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        }
        let states = JobRow.State.allCases
        var lines = [
            states.map { right("\($0)", 8) }.joined() + "  attempts",
            states.map { right("\(count($0))", 8) }.joined() + right("\(attempts)", 10),
            "",
            left("job", 16) + " state    attempt  progress",
        ]
        let room = max(limit - lines.count - 1, 0)
        lines += shown.prefix(room).map(\.line)
        if shown.count > room { lines.append("… and \(shown.count - room) more") }
        return lines.map { $0.count < columns ? $0 : left($0, max(columns - 1, 1)) }
    }

    /// A JSON object, on one line, with the counts and the jobs that have changed.
    func json(changed: [JobRow]) throws -> String {
        struct Line: Encodable {
            var counts: [String: Int]
            var attempts: Int
            var changed: [JobRow]
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line = Line(counts: counts, attempts: attempts, changed: changed)
        return String(decoding: try encoder.encode(line), as: UTF8.self)
    }
}
