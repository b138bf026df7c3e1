import BenchmarkKit
import Foundation

/// Jobs that do nothing, run by eight workers of one process: the cost of a queue.
struct Jobs: Workload {
    static let single = Jobs(name: "J1", isBatched: false, isSynced: true)
    static let batched = Jobs(name: "J1b", isBatched: true, isSynced: true)
    static let singleUnsynced = Jobs(name: "J1u", isBatched: false, isSynced: false)
    static let batchedUnsynced = Jobs(name: "J1bu", isBatched: true, isSynced: false)

    private static let jobCount = 20_000
    private static let concurrency = 8
    /// The number of jobs that are claimed in advance at most, by all workers together.
    private static let batch = 512

    let name: String
    /// Whether workers claim jobs in advance.
    let isBatched: Bool
    let isSynced: Bool

    /// A round takes long where each claim is a commit.
    var maximumRounds: Int? { 5 }

    var notes: [String] {
        let claims =
            isBatched
            ? "regnum with a prefetch of \(Self.batch), postgres with LIMIT "
                + "\(Self.batch / Self.concurrency) for each worker"
            : "regnum with its default options, postgres with LIMIT 1"
        let durability =
            isSynced
            ? "both commit durably"
            : "regnum commits with .relaxed(within: .seconds(1)), postgres with "
                + "synchronous_commit=off"
        var notes = [
            "\(Self.jobCount) jobs, \(Self.concurrency) workers; \(claims);",
            "\(durability). \(name)-add adds the jobs in one transaction.",
        ]
        if let absence = PostgresServer.absence { notes.append("postgres: \(absence).") }
        return notes
    }

    func contenders(_ setting: Setting) async throws -> [Contender] {
        var contenders: [Contender] = []
        if setting.engines.contains(.regnum) {
            let regnum = try await RegnumJobs(
                setting.directory.appending(path: "jobs.realm"), concurrency: Self.concurrency,
                prefetch: isBatched ? Self.batch : 0, isSynced: isSynced)
            contenders.append(
                Contender(.regnum) {
                    var start = monotonicNanoseconds()
                    try await regnum.add(0..<Self.jobCount)
                    let added = perSecond(Self.jobCount, since: start)
                    start = monotonicNanoseconds()
                    let sum = try await regnum.work(Self.jobCount)
                    let done = perSecond(Self.jobCount, since: start)
                    try check(sum, try await regnum.count(), .regnum, setting)
                    return samples(added, done)
                })
        }
        if setting.engines.contains(.postgres), PostgresServer.absence == nil {
            let postgres = try await onThread {
                try PostgresJobs(
                    setting.directory.appending(path: "postgres"),
                    concurrency: Self.concurrency,
                    batch: isBatched ? Self.batch / Self.concurrency : 1, isSynced: isSynced)
            }
            contenders.append(
                Contender(.postgres) {
                    var start = monotonicNanoseconds()
                    try await postgres.add(0..<Self.jobCount)
                    let added = perSecond(Self.jobCount, since: start)
                    try await postgres.vacuum()
                    start = monotonicNanoseconds()
                    let sum = try await postgres.work()
                    let done = perSecond(Self.jobCount, since: start)
                    try check(sum, try await postgres.count(), .postgres, setting)
                    return samples(added, done)
                })
        }
        return contenders
    }

    private func samples(_ added: Double, _ done: Double) -> [Sample] {
        [Sample(name, done, .jobsPerSecond), Sample("\(name)-add", added, .jobsPerSecond)]
    }

    /// Each job ran once, and none is left.
    private func check(_ sum: Int, _ left: Int, _ engine: Engine, _ setting: Setting) throws {
        try setting.agreement.check("\(name): sum", sum, by: engine)
        try setting.agreement.check("\(name): left", left, by: engine)
        guard left == 0 else { throw Failure("\(name): \(engine) has \(left) jobs left.") }
    }
}
