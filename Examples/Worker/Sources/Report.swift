/// The outcome of the jobs, according to the realm, the log of the runs and the thumbnails.
struct Report {
    /// The problems found: none if every job ran and each repetition is explained.
    private(set) var problems: [String] = []
    /// The numbers, for people.
    private(set) var lines: [String] = []

    /// - Parameters:
    ///   - rows: All jobs of the realm.
    ///   - killed: The process IDs of the workers that were killed.
    ///   - expected: The number of jobs that were added, if known.
    ///   - wrongNames: The names of the jobs that are done, but whose thumbnail is missing or wrong.
    init(
        rows: [JobRow], runs: [Run], killed: Set<Int>, expected: Int? = nil,
        wrongNames: [String] = []
    ) {
        var table = StateTable()
        for row in rows { table.set(row) }
        let (done, dead) = (table.count(.done), table.count(.dead))
        let runsOfJobs = Dictionary(grouping: runs, by: \.job)
        let ends = Dictionary(grouping: runs, by: \.end).mapValues(\.count)
        func count(_ event: Run.Event) -> Int { ends[event, default: 0] }
        let cutOff = runs.count { $0.end == nil && killed.contains($0.worker) }
        let repeatedCount = runsOfJobs.values.count { $0.count > 1 }
        lines = [
            "jobs        \(rows.count): \(done) done, \(dead) dead",
            "thumbnails  \(done - wrongNames.count) of \(done) are right",
            "runs        \(runs.count): \(count(.ended)) ended, \(cutOff) cut off by "
                + "\(killed.count) kills, \(count(.failed)) failed, "
                + "\(count(.lost)) lost their claim, \(count(.interrupted)) interrupted",
            "repeated    \(repeatedCount) jobs, \(runs.count - runsOfJobs.count) times",
        ]
        let rows = rows.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        for row in rows where row.state == .dead {
            lines.append("dead        " + printable("\(row.name): \(row.error ?? "")"))
        }

        if rows.isEmpty { problems.append("There are no jobs.") }
        if let expected, rows.count != expected {
            problems.append("Jobs added: \(expected), but the realm has \(rows.count).")
        }
        let unfinishedCount = rows.count - done - dead
        if unfinishedCount > 0 { problems.append("Unfinished jobs: \(unfinishedCount).") }
        let missingCount = runsOfJobs.keys.count { table.rows[$0] == nil }
        if missingCount > 0 { problems.append("Jobs that ran, but are missing: \(missingCount).") }
        for row in rows {
            if let problem = Self.problem(of: row, runsOfJobs[row.id] ?? [], killed) {
                problems.append(printable("\(row.name) \(problem)."))
            }
        }
        for name in wrongNames {
            problems.append(printable("The thumbnail of \(name) is missing or wrong."))
        }
    }

    /// Returns what is wrong with the runs of a job.
    private static func problem(of row: JobRow, _ runs: [Run], _ killed: Set<Int>) -> String? {
        if runs.isEmpty {
            return row.state == .done || row.state == .dead ? "never ran" : nil
        }
        if runs.contains(where: \.isLate) { return "ran again although it was done" }
        let explained = runs.count { run in
            switch run.end {
            case .failed, .lost, .interrupted: true
            case .began, .ended: false
            case nil: killed.contains(run.worker)
            }
        }
        if explained < runs.count - 1 {
            return "ran \(runs.count) times, and only \(explained) runs were cut off or failed"
        }
        let counted = runs.count { $0.end != .interrupted }
        return counted > row.attempts ? "ran \(counted) times in \(row.attempts) attempts" : nil
    }
}
