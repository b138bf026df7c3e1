import Glibc
import RegnumStore

/// Opens the realm named by the first argument, as whatever user runs this, and prints the result:
/// "opened", or the code and the message of the error. With the second argument "read" it opens for
/// reading; with "fork", a forked child then tries to change the realm; with "orphan", it survives
/// this process; with "closed", commits and prints while the standard streams are closed.
@main
enum OpenChild {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 2 else {
            return print("usage: RegnumOpenChild PATH [read|fork|orphan|closed]")
        }
        do throws(StoreError) {
            if arguments.last == "fork" { return try openAndFork(arguments[1]) }
            if arguments.last == "orphan" { return try forkAndDie(arguments[1]) }
            if arguments.last == "closed" { return try commitWithoutStreams(arguments[1]) }
            let report = try open(arguments[1], isReadOnly: arguments.last == "read").report
            print("opened at version \(report.version)")
        } catch {
            print("\(error.code.rawValue): \(error.message)")
        }
    }

    private static func open(
        _ path: String, isReadOnly: Bool = false
    ) throws(StoreError) -> (log: RealmLog, report: RecoveryReport) {
        let disk = PosixFileSystem.shared
        let options = StoreOptions()
        let deliver: RealmLog.Deliver = { (_) throws(StoreError) in }
        if isReadOnly {
            return try RealmLog.openForReading(
                disk, path: path, options: options, load: { (_, _) throws(StoreError) in }, deliver)
        }
        return try RealmLog.open(disk, path: path, options: options, deliver)
    }

    /// Swift doesn't import it.
    private static func fork() -> pid_t? {
        guard let symbol = dlsym(nil, "fork") else { return nil }
        return unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
    }

    /// Forks a child that lives for ten minutes, prints its id and is killed as the writer.
    private static func forkAndDie(_ path: String) throws(StoreError) {
        let log = try open(path).log
        _ = try log.tryBecomeWriter { (_) throws(StoreError) in }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0, let child = fork() else { return print("fork is not available") }
        var byte: UInt8 = 0
        if child == 0 {
            for stream in STDIN_FILENO...STDERR_FILENO { close(stream) }
            // `Process` takes the end of the socket that it passes on for that of the program.
            for descriptor in 3..<Int32(64) {
                var status = stat()
                guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
                    continue
                }
                close(descriptor)
            }
            _ = write(ends[1], &byte, 1)
            sleep(600)
            _exit(0)
        }
        _ = read(ends[0], &byte, 1)
        print(child)
        fflush(nil)
        withExtendedLifetime(log) { _ = kill(getpid(), SIGKILL) }
    }

    /// Prints the codes that the child got, and whether the parent still holds its locks.
    private static func openAndFork(_ path: String) throws(StoreError) {
        let log = try open(path).log
        let body: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0]
        _ = try log.tryBecomeWriter { (_) throws(StoreError) in }
        guard let child = fork() else { return print("fork is not available") }
        if child == 0 {
            attempt("append") { () throws(StoreError) in try log.append([body], version: 1) }
            attempt("lock") { () throws(StoreError) in
                _ = try log.lock.tryLock(.writer, .exclusive)
            }
            attempt("open") { () throws(StoreError) in _ = try open(path) }
            log.releaseLocks()
            fflush(nil)
            _exit(0)
        }
        waitpid(child, nil, 0)
        let lock = try PosixFileSystem.shared.openDirectory(path, .existing).openLock()
        print("session \(lock.isLockedElsewhere(.session))")
        print("writer \(lock.isLockedElsewhere(.writer))")
        attempt("parent") { () throws(StoreError) in
            try log.append([body], version: 1)
            try log.sync()
        }
    }

    /// Commits while the standard streams are closed, and prints to each of them.
    private static func commitWithoutStreams(_ path: String) throws(StoreError) {
        for stream in STDIN_FILENO...STDERR_FILENO { close(stream) }
        let log = try open(path).log
        _ = try log.tryBecomeWriter { (_) throws(StoreError) in }
        try log.append([[1, 0, 0, 0, 0, 0, 0, 0]], version: 1)
        try log.sync()
        let text = [UInt8](repeating: UInt8(ascii: "!"), count: 64)
        for stream in STDIN_FILENO...STDERR_FILENO { _ = write(stream, text, text.count) }
        withExtendedLifetime(log) {}
    }

    private static func attempt(_ name: String, _ body: () throws(StoreError) -> Void) {
        do throws(StoreError) {
            try body()
            print("\(name) done")
        } catch {
            print("\(name) \(error.code.rawValue)")
        }
    }
}
