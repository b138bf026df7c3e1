import Regnum
import RegnumWorkers

/// A job, as tables and reports show it.
struct JobRow: Encodable, Hashable, Sendable {
    enum State: String, Encodable, Sendable, CaseIterable {
        /// Waiting for a worker.
        case queued
        case running
        /// Waiting for another attempt, because one failed or its worker died.
        case failed
        case done
        /// Given up on: a dead letter.
        case dead
    }

    var id: String
    var name: String
    var state: State
    var attempts: Int
    /// From 0 to 1.
    var progress = 0.0
    /// The process ID of the worker that last claimed the job.
    var worker: String?
    /// The error of the last attempt that failed.
    var error: String?

    /// A row of the table on a terminal.
    var line: String {
        let first = "\(left(name, 16)) \(left(state.rawValue, 8)) \(right("\(attempts)", 7))  "
        guard state == .running else { return first + printable(error ?? "") }
        let count = Int(min(max(progress, 0), 1) * 20)
        let bar = String(repeating: "#", count: count) + String(repeating: "-", count: 20 - count)
        return first + "[\(bar)] worker \(printable(worker ?? "?"))"
    }
}

extension JobRow {
    init(_ job: Frozen<Thumbnail>) {
        let state: State =
            switch job.status {
            case .ready, .scheduled: job.lastError == nil ? .queued : .failed
            case .running: .running
            case .done: .done
            case .dead: .dead
            }
        self.init(
            id: "\(job.id)", name: job.name, state: state, attempts: job.attempts,
            progress: job.progress, worker: job.worker, error: job.lastError)
    }
}

/// Replaces control characters, with which escape sequences for the terminal begin.
func printable(_ text: String) -> String {
    String(
        text.map { character in
            let isSafe = character.unicodeScalars.allSatisfy {
                ![.control, .format].contains($0.properties.generalCategory)
            }
            return isSafe ? character : "?"
        })
}

/// Returns printable text of a number of characters, cut or padded on the right.
func left(_ text: String, _ count: Int) -> String {
    let text = printable(text)
    if text.count > count { return text.prefix(max(count - 1, 0)) + "…" }
    return text + String(repeating: " ", count: count - text.count)
}

/// Pads text on the left.
func right(_ text: String, _ count: Int) -> String {
    String(repeating: " ", count: max(count - text.count, 0)) + text
}
