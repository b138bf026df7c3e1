/// A run of a job, as logged by its worker independently of the realm.
struct Run: Hashable, Sendable {
    /// An event in the log: the start of a run, or its end, which is missing if the worker died.
    enum Event: String, Sendable {
        case began
        /// The job is done.
        case ended
        case failed
        /// The claim had expired, so another worker may have run the job.
        case lost
        /// The worker was asked to stop. The attempt doesn't count.
        case interrupted
    }

    let job: String
    let attempt: Int
    let worker: Int
    /// Whether another run had finished the job before this one began.
    let isLate: Bool
    /// How the run ended; `nil` if that isn't logged.
    var end: Event?

    /// A line of the log, without a line break.
    static func line(_ event: Event, job: String, attempt: Int, worker: Int) -> String {
        "\(event.rawValue) \(job) \(attempt) \(worker)"
    }

    /// Reads a log. The runs are in the order in which they began.
    static func runs(in log: String) throws -> [Run] {
        var runs: [Run] = []
        var running: [[Substring]: Int] = [:]
        var ended: Set<Substring> = []
        for (index, line) in log.split(separator: "\n").enumerated() {
            let words = line.split(separator: " ")
            guard words.count == 4, let event = Event(rawValue: String(words[0])),
                let attempt = Int(words[2]), let worker = Int(words[3])
            else { throw Failure("Line \(index + 1) of the log is malformed.") }
            let key = Array(words[1...])
            if event == .began {
                running[key] = runs.count
                let isLate = ended.contains(words[1])
                let job = String(words[1])
                runs.append(Run(job: job, attempt: attempt, worker: worker, isLate: isLate))
            } else if let run = running.removeValue(forKey: key) {
                runs[run].end = event
                if event == .ended { ended.insert(words[1]) }
            } else {
                throw Failure("Line \(index + 1) of the log ends a run that didn't begin.")
            }
        }
        return runs
    }
}
