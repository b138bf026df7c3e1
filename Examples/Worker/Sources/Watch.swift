import ArgumentParser
import Foundation
import Regnum

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the states of the jobs as they change, until Ctrl-C.",
        discussion: "Without a terminal, prints the number of jobs in each state as they change.")

    @ParentCommand var worker: Worker
    @Flag(help: "Print a JSON object for each change: the counts, and the jobs that changed.")
    var json = false
    @Option(help: ArgumentHelp("Exit when this many jobs are done or dead.", valueName: "n"))
    var until: Int?

    func validate() throws {
        if let until { try require(until, 1...1_000_000_000, "--until") }
    }

    func run() async throws {
        let (json, until) = (json, until ?? .max)
        try await worker.withRealm { realm in
            try await untilInterrupted {
                var table = StateTable()
                var display = Display()
                for try await change in realm.objects(Thumbnail.self).changes {
                    let changed = table.apply(change)
                    if json {
                        try printNow(table.json(changed: changed) + "\n")
                    } else {
                        try display.show(table)
                    }
                    if table.finishedCount >= until { return }
                }
            }
        }
    }
}

/// On a terminal, the table, drawn over the previous one; otherwise a line for each change.
private struct Display {
    private var lineCount = 0
    private var lastLine = ""

    mutating func show(_ table: StateTable) throws {
        if isatty(STDOUT_FILENO) == 1 {
            var size = winsize()
            let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0
            let (columns, rows) = isKnown ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
            let lines = table.lines(columns: columns, limit: rows - 1)
            let start = lineCount == 0 ? "" : "\u{1B}[\(lineCount)A"
            try printNow(start + "\u{1B}[J" + lines.joined(separator: "\n") + "\n")
            lineCount = lines.count
        } else if table.countsLine != lastLine {
            lastLine = table.countsLine
            try printNow(lastLine + "\n")
        }
    }
}
