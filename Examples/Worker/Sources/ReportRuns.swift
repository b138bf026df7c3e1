import ArgumentParser
import Foundation
import Regnum
import RegnumWorkers

struct ReportRuns: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Checks that every job ran, and that kills and failures explain each repetition.",
        discussion: "Exits with 1 if the realm, the log of the runs and the thumbnails disagree.")

    @ParentCommand var worker: Worker
    @Argument(help: "The folder given to the workers.") var output: String
    @Option(help: ArgumentHelp("The number of jobs that were added.", valueName: "n"))
    var expect: Int?
    @Option(help: ArgumentHelp("A process that was killed; repeatable.", valueName: "pid"))
    var killed: [Int] = []

    func run() async throws {
        let folder = URL(filePath: output)
        try await worker.withRealm { realm in
            let jobs = realm.snapshot().objects(Thumbnail.self)
            var wrongNames: [String] = []
            for job in jobs where job.status == .done {
                let expected = try await job.image().scaled(toWidth: job.width).ppm
                let contents = FileManager.default.contents(atPath: job.file(in: folder).path)
                if contents != Data(expected) { wrongNames.append(job.name) }
            }
            let log = folder.appending(path: RunLog.name).path
            guard let contents = FileManager.default.contents(atPath: log) else {
                throw Failure("Can't read \(log).")
            }
            let report = Report(
                rows: jobs.map { JobRow($0) },
                runs: try Run.runs(in: String(decoding: contents, as: UTF8.self)),
                killed: Set(killed), expected: expect, wrongNames: wrongNames)
            try printNow(report.lines.joined(separator: "\n") + "\n")
            guard report.problems.isEmpty else {
                throw Failure(report.problems.prefix(20).joined(separator: "\n        "))
            }
            try printNow("Every job ran, none was lost, and each repetition is explained.\n")
        }
    }
}
