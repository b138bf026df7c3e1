internal import CLibpq
import Foundation
import Glibc

/// A PostgreSQL server with a new, empty database and the settings that it has by default. It
/// listens on a Unix socket only.
final class PostgresServer: Sendable {
    /// The reason why no server can run here; `nil` if one can.
    static let absence: String? = {
        guard programs != nil, clibpq_load() == 0 else { return "postgresql not installed" }
        guard geteuid() == 0, getpwnam(user) == nil else { return nil }
        return "postgresql doesn't run as root, and there is no user \(user)"
    }()

    /// The user who runs the server if this process runs as root.
    private static let user = "postgres"
    private static let port = 5432
    /// The directory with the programs of the newest version that is installed.
    private static let programs: URL? = {
        let directory = URL(filePath: "/usr/lib/postgresql")
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return versions.compactMap { Int($0) }.sorted(by: >)
            .map { directory.appending(path: "\($0)/bin") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path + "/initdb") }
    }()

    private let process: Process
    /// Nothing is written to it. It is closed when this process exits, which ends the server.
    private let life = Pipe()
    /// The directory of the socket, whose path must be short.
    private let socket: URL
    /// The settings for a connection.
    let connectionSettings: String

    /// Creates the database in a directory that doesn't exist, and starts the server.
    init(_ directory: URL) throws {
        guard Self.absence == nil, let programs = Self.programs else {
            throw Failure(Self.absence ?? "postgresql not installed")
        }
        let files = FileManager.default
        socket = files.temporaryDirectory.appending(path: "regnum-postgres-\(getpid())")
        for place in [directory, socket] {
            try files.createDirectory(at: place, withIntermediateDirectories: true)
            if geteuid() == 0 {
                try files.setAttributes([.ownerAccountName: Self.user], ofItemAtPath: place.path)
            }
        }
        let data = directory.appending(path: "data").path
        let log = directory.appending(path: "log").path
        let initializer = Self.process(
            "\"$0\" -D \"$1\" -U postgres >\"$2\" 2>&1",
            [programs.appending(path: "initdb").path, data, log])
        try initializer.run()
        initializer.waitUntilExit()
        guard initializer.terminationStatus == 0 else { throw Self.failure("initdb", log) }

        process = Self.process(
            """
            exec 4<&0
            (read line <&4; kill -QUIT $$) &
            exec "$0" -D "$1" -k "$2" -p \(Self.port) -c listen_addresses= >"$3" 2>&1 </dev/null
            """,
            [programs.appending(path: "postgres").path, data, socket.path, log])
        process.standardInput = life
        connectionSettings = "host=\(socket.path) port=\(Self.port) user=postgres dbname=postgres"
        try process.run()
        let end = ContinuousClock.now + .seconds(30)
        while (try? PostgresConnection(self)) == nil {
            guard .now < end else { throw Self.failure("postgres", log) }
            usleep(20_000)
        }
    }

    deinit {
        try? life.fileHandleForWriting.close()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: socket)
    }

    /// Returns a process that runs a shell script, as the user of the server.
    private static func process(_ script: String, _ arguments: [String]) -> Process {
        let process = Process()
        let command = ["/bin/sh", "-c", script] + arguments
        let change = ["setpriv", "--reuid", user, "--regid", user, "--init-groups", "--"]
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = geteuid() == 0 ? change + command : command
        process.currentDirectoryURL = URL(filePath: "/")
        return process
    }

    private static func failure(_ program: String, _ log: String) -> Failure {
        let lines = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return Failure("\(program) failed: \(lines.suffix(500))")
    }
}

/// A connection to the server, and its prepared statements.
///
/// Guard of the `@unchecked Sendable`: one thread at a time uses a connection.
final class PostgresConnection: @unchecked Sendable {
    private let connection: UnsafeMutableRawPointer?

    init(_ server: PostgresServer) throws {
        connection = clibpq_connectdb(server.connectionSettings)
        guard Int(clibpq_status(connection)) == CLIBPQ_CONNECTION_OK else { throw failure }
    }

    deinit { clibpq_finish(connection) }

    private var failure: Failure {
        Failure("PostgreSQL: \(String(cString: clibpq_errorMessage(connection)))")
    }

    /// Runs a statement without a result.
    func run(_ statement: String) throws {
        _ = try columns(clibpq_exec(connection, statement), count: 0)
    }

    func prepare(_ name: String, _ statement: String) throws {
        _ = try columns(clibpq_prepare(connection, name, statement, 0, nil), count: 0)
    }

    /// Runs a prepared statement, and returns the integers in the first columns of its result, row
    /// by row.
    func run(_ name: String, _ values: [String], columnCount: Int = 0) throws -> [Int] {
        let texts = values.map { strdup($0) }
        defer { for text in texts { free(text) } }
        let pointers = texts.map { UnsafePointer($0) }
        let result = clibpq_execPrepared(
            connection, name, Int32(values.count), pointers, nil, nil, 0)
        return try columns(result, count: columnCount)
    }

    private func columns(_ result: UnsafeMutableRawPointer?, count: Int) throws -> [Int] {
        defer { clibpq_clear(result) }
        let status = Int(clibpq_resultStatus(result))
        guard status == CLIBPQ_COMMAND_OK || status == CLIBPQ_TUPLES_OK else {
            throw failure
        }
        var numbers: [Int] = []
        for row in 0..<clibpq_ntuples(result) {
            for column in 0..<Int32(count) {
                numbers.append(atol(clibpq_getvalue(result, row, column)))
            }
        }
        return numbers
    }
}
