import ArgumentParser
import Foundation
import Regnum
import RegnumWorkers

struct Work: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes thumbnails, until Ctrl-C. Any number of processes can do so.")

    @ParentCommand var worker: Worker
    @Argument(help: "The folder for the thumbnails and the log of the runs.") var output: String
    @Option(help: ArgumentHelp("The number of jobs to run at the same time.", valueName: "n"))
    var concurrency = 2
    @Option(help: ArgumentHelp("When a dead worker's jobs run elsewhere.", valueName: "seconds"))
    var timeout = 30.0
    @Option(help: ArgumentHelp("How long to wait after each fifth of an image.", valueName: "ms"))
    var pace = 0

    func validate() throws {
        try require(concurrency, 1...1_000, "--concurrency")
        try require(timeout, 0.1...86_400, "--timeout")
        try require(pace, 0...60_000, "--pace")
    }

    func run() async throws {
        let (folder, pace) = (URL(filePath: output), pace)
        try createFolder(folder)
        let log = try RunLog(folder)
        var options = JobOptions()
        options.concurrency = concurrency
        options.timeout = .seconds(timeout)
        options.retry = RetryPolicy(attempts: 10, delay: .milliseconds(250))
        options.keepsFinished = true  // for `worker report`
        options.label = "\(log.worker)"
        try await worker.withRealm { [options] realm in
            let queue = JobQueue(of: Thumbnail.self, in: realm, options: options)
            try await untilInterrupted {
                try await queue.run { run in
                    try log.append(.began, run)
                    do {
                        try await makeThumbnail(run, in: folder, pace: pace)
                    } catch {
                        try log.append(Run.Event(error), run)
                        guard let error = error as? Pixmap.Malformed else { throw error }
                        // trying again wouldn't help
                        throw JobFailure.permanent("\(error)")
                    }
                    try log.append(.ended, run)
                }
            }
        }
    }
}

/// Makes a thumbnail, and finishes the job once it has been written.
///
/// - Parameter pace: The number of milliseconds to wait after each part of the work.
private func makeThumbnail(_ run: JobRun<Thumbnail>, in folder: URL, pace: Int) async throws {
    let thumbnail = try await run.job.image().scaled(toWidth: run.job.width) { progress in
        try await Task.sleep(for: .milliseconds(pace))
        if progress < 1 { try await run.report(progress: progress) }
    }
    let file = run.job.file(in: folder)
    try await blocking { try replace(file, with: thumbnail.ppm) }
    try await run.finish { _ in }
}

extension Run.Event {
    /// The end of a run that threw an error.
    fileprivate init(_ error: any Error) {
        if case .claimLost? = error as? WorkerError {
            self = .lost
        } else {
            self = Task.isCancelled ? .interrupted : .failed
        }
    }
}

/// The log to which all workers append their runs.
struct RunLog: Sendable {
    static let name = "runs.log"
    let worker = Int(ProcessInfo.processInfo.processIdentifier)
    /// Open until the process ends.
    private let descriptor: CInt

    fileprivate init(_ folder: URL) throws {
        let path = folder.appending(path: Self.name).path
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Failure.system("Can't open \(path)") }
    }

    fileprivate func append(_ event: Run.Event, _ run: JobRun<Thumbnail>) throws {
        let line = Run.line(event, job: "\(run.job.id)", attempt: run.attempt, worker: worker)
        try printNow("\(line)\n", to: descriptor)
    }
}
