import Glibc
import Regnum

/// One process of a test on a realm that several processes use.
///
///     send PATH ROOM NAME COUNT|- [TIMEOUT_MS]   one message per commit: COUNT of them, or one per
///                                   line of standard input; prints the id of each after `write`
///                                   returned, and "busy" for each attempt that timed out
///     tail PATH ROOM COUNT|-        prints the id of each message of the room, from the first one,
///                                   until COUNT or SIGTERM
///     follow PATH ROOM POLICY [stepwise]   prints the elements of a stream of the room's messages,
///                                   one per line of standard input (see Follow.swift)
///     serve PATH SOCKET             prints "ready" and serves the messages of rooms to clients of a
///                                   socket until SIGTERM (see Serve.swift)
///     visit PATH ROOM NAME COUNT    opens, sends one message, prints its id, closes; COUNT times
///     hammer PATH SECONDS full|relaxed   prints "ready", waits for a line, commits back to back,
///                                   prints a line for each commit (see Hammer.swift)
///     stop-in-write PATH            prints "in write" in the body of a write, and spins there
///     hold-in-write PATH ROOM NAME  prints "in write" in the body of a write, waits there for a
///                                   line, sends a message and prints its id
///     ledger PATH NAME              commits and checkpoints until SIGTERM, prints the number of
///                                   each commit (see KeepLedger.swift)
///     fork PATH                     forks a child that tries to write, and prints what it and the
///                                   parent get (see Fork.swift)
///     migrate PATH                  opens the realm as the later program does, which migrates it;
///                                   prints "in block" and "COUNT messages" (see Migrate.swift)
///     replace PATH NAME             opens the realm as the later program does, which deletes it,
///                                   and creates a room (see Migrate.swift)
///     drain PATH BATCH              delivers readings until SIGTERM, prints the number of each and
///                                   "taken N" once those up to N are removed (see Drain.swift)
///     measure PATH FIRST            creates readings, numbered from FIRST, until SIGTERM, prints
///                                   the last number of each commit
///     fill PATH COUNT               creates COUNT readings
///     drain-all PATH BATCH          delivers all readings, prints their count, the largest batch,
///                                   and its initial and peak memory
///     fill-letters PATH COUNT       creates COUNT letters (see MigrateLetters.swift)
///     migrate-letters PATH BYTES|whole   migrates them to a later program's classes, in parts of
///                                   BYTES or at once; prints its initial memory, its peak while
///                                   visiting them, and its overall peak
///     work PATH TIMEOUT_MS [WRITE_TIMEOUT_MS]   runs jobs until SIGTERM, prints when each begins and
///                                   ends (see Work.swift)
///     consume PATH LEASE_MS         consumes events until SIGTERM, prints what it gets and has
///                                   saved (see Work.swift)
///     expire PATH                   removes lapses when they expire until SIGTERM, prints the
///                                   number of each transaction's lapses (see Expire.swift)
///     backup PATH TARGET            copies the realm to TARGET0, TARGET1 …, prints the number of
///                                   each completed copy
///
/// Exit status: 0; 1 with a message on standard error; 3 when the driver is gone; 64 for wrong
/// usage.
@main enum CrashChild {
    static func main() {
        // Before any other thread exists, so that all of them inherit the blocked signal.
        let terminationSignal = TerminationSignal()
        var arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2 else { exit(64) }
        let command = arguments.removeFirst()
        let path = arguments.removeFirst()
        Task.detached { [arguments] in
            do {
                try await run(command, path, arguments, terminationSignal)
                exit(0)
            } catch {
                printError("\(command): \(error)")
                exit(1)
            }
        }
        terminationSignal.waitForever()
    }

    private static func run(
        _ command: String, _ path: String, _ arguments: [String],
        _ terminationSignal: TerminationSignal
    ) async throws {
        switch (command, arguments.count) {
        case ("send", 3), ("send", 4):
            let timeout = arguments.count == 4 ? Int(arguments[3]) : nil
            try await send(
                path, Sender(room: arguments[0], name: arguments[1]), arguments[2],
                writeTimeout: timeout.map { .milliseconds($0) })
        case ("tail", 2):
            try await tail(path, arguments[0], count: Int(arguments[1]), terminationSignal)
        case ("follow", 2), ("follow", 3):
            try await follow(
                path, arguments[0], arguments[1], isStepwise: arguments.last == "stepwise")
        case ("serve", 1):
            try await serve(path, arguments[0], terminationSignal)
        case ("visit", 3):
            try await visit(
                path, Sender(room: arguments[0], name: arguments[1]),
                count: Int(arguments[2]) ?? 1)
        case ("hammer", 2):
            let isRelaxed = arguments[1] == "relaxed"
            try await hammer(
                path, .seconds(Double(arguments[0]) ?? 1), isRelaxed: isRelaxed)
        case ("stop-in-write", 0):
            try await stopInWrite(path)
        case ("hold-in-write", 2):
            try await holdInWrite(path, Sender(room: arguments[0], name: arguments[1]))
        case ("fork", 0):
            try await forkAndWrite(path)
        case ("migrate", 0):
            try await migrate(path)
        case ("replace", 1):
            try await replace(path, room: arguments[0])
        case ("ledger", 1):
            try await keepLedger(path, arguments[0], terminationSignal)
        case ("audit", _):
            try await auditLedgers(path, arguments, terminationSignal)
        case ("drain", 1):
            try await drain(path, batchSize: Int(arguments[0]) ?? 1, terminationSignal)
        case ("measure", 1):
            try await measure(path, from: Int(arguments[0]) ?? 0, terminationSignal)
        case ("fill", 1):
            try await fill(path, count: Int(arguments[0]) ?? 0)
        case ("drain-all", 1):
            try await drainAll(path, batchSize: Int(arguments[0]) ?? 1)
        case ("fill-letters", 1):
            try await fillLetters(path, count: Int(arguments[0]) ?? 0)
        case ("migrate-letters", 1):
            try await migrateLetters(path, partByteCount: Int(arguments[0]))
        case ("work", 1), ("work", 2):
            let writeTimeout = arguments.count == 2 ? Int(arguments[1]) : nil
            try await work(
                path, timeout: .milliseconds(Int(arguments[0]) ?? 1_000),
                writeTimeout: writeTimeout.map { .milliseconds($0) }, terminationSignal)
        case ("consume", 1):
            try await consumeEvents(
                path, lease: .milliseconds(Int(arguments[0]) ?? 1_000), terminationSignal)
        case ("expire", 0):
            try await expire(path, terminationSignal)
        case ("backup", 1):
            try await backUp(path, to: arguments[0])
        default:
            exit(64)
        }
    }
}
