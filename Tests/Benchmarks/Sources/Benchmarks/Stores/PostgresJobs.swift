import Foundation

/// A queue of jobs in a table of PostgreSQL, from which workers claim with `SKIP LOCKED`.
///
/// As with Regnum's queue, a claim counts the attempt and expires, after which the job is available
/// to others. Jobs are ended in a transaction of their own: two that also claim can deadlock,
/// because a claim waits for the deletion of a job that it still sees as ready.
struct PostgresJobs: Sendable {
    /// The states of a job.
    private enum State {
        static let ready = 0
        static let running = 1
    }

    private let server: PostgresServer
    private let connections: [PostgresConnection]

    /// Creates the table.
    ///
    /// - Parameters:
    ///   - concurrency: The number of workers, each with its own connection.
    ///   - batch: The number of jobs that a worker claims at a time.
    init(_ directory: URL, concurrency: Int, batch: Int, isSynced: Bool) throws {
        server = try PostgresServer(directory)
        connections = try (0..<concurrency).map { [server] _ in try PostgresConnection(server) }
        try connections[0].run(
            """
            CREATE TABLE jobs (
                id bigserial PRIMARY KEY, number bigint NOT NULL, state smallint NOT NULL,
                priority int NOT NULL, run_at timestamptz NOT NULL, attempts int NOT NULL,
                worker text)
            """)
        // in the order of the claims, so that each one begins with the next job
        try connections[0].run(
            "CREATE INDEX jobs_claim ON jobs (state, priority DESC, run_at, id)")
        for connection in connections {
            if !isSynced { try connection.run("SET synchronous_commit = off") }
            try connection.prepare(
                "add",
                """
                INSERT INTO jobs (number, state, priority, run_at, attempts)
                SELECT number, \(State.ready), 0, now(), 0 FROM unnest($1::bigint[]) AS number
                """)
            try connection.prepare(
                "end",
                """
                DELETE FROM jobs
                WHERE id = ANY($1::bigint[]) AND state = \(State.running) AND worker = $2
                """)
            try connection.prepare(
                "claim",
                """
                UPDATE jobs
                SET state = \(State.running), run_at = now() + interval '30 s',
                    attempts = attempts + 1, worker = $1
                WHERE id = ANY(ARRAY(
                    SELECT id FROM jobs WHERE state = \(State.ready) AND run_at <= now()
                    ORDER BY priority DESC, run_at, id LIMIT \(batch) FOR UPDATE SKIP LOCKED))
                RETURNING id, number
                """)
            try connection.prepare("count", "SELECT count(*) FROM jobs")
        }
    }

    /// Adds jobs in one transaction.
    func add(_ numbers: Range<Int>) async throws {
        try await onThread { [connection = connections[0]] in
            _ = try connection.run("add", [Self.array(numbers)])
        }
    }

    /// Does in advance what the server does in the background from time to time.
    func vacuum() async throws {
        try await onThread { [connection = connections[0]] in
            try connection.run("VACUUM ANALYZE jobs")
        }
    }

    /// Runs all jobs, and returns the sum of their numbers.
    func work() async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for (index, connection) in connections.enumerated() {
                group.addTask {
                    try await onThread { try Self.work(connection, "worker \(index)") }
                }
            }
            return try await group.reduce(0, +)
        }
    }

    func count() async throws -> Int {
        try await onThread { [connection = connections[0]] in
            try connection.run("count", [], columnCount: 1)[0]
        }
    }

    /// Runs jobs until there are no more.
    private static func work(_ connection: PostgresConnection, _ name: String) throws -> Int {
        var sum = 0
        while true {
            let claimed = try connection.run("claim", [name], columnCount: 2)
            if claimed.isEmpty { return sum }
            var ids: [Int] = []
            for row in stride(from: 0, to: claimed.count, by: 2) {
                ids.append(claimed[row])
                sum += claimed[row + 1]
            }
            _ = try connection.run("end", [array(ids), name])
        }
    }

    private static func array(_ numbers: some Sequence<Int>) -> String {
        "{\(numbers.map(String.init).joined(separator: ","))}"
    }
}
