import Foundation
import RegnumStore
import RegnumTestSupport

/// Runs `RegnumOpenChild` and checks what it has left.
enum OpenChildProcess {
    /// Runs the program until its output ends. Returns the output and the exit code.
    static func run(_ path: String, _ mode: String) throws -> (output: String, code: Int32) {
        let process = Process()
        process.executableURL = try BuiltProduct.file("RegnumOpenChild")
        process.arguments = [path, mode]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(
            decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (output, process.terminationStatus)
    }

    /// Expects a realm with one commit, of which nothing has to be discarded.
    static func expectOneCommit(_ path: String) throws {
        let log = try RealmLog.open(
            PosixFileSystem.shared, path: path, options: StoreOptions()
        ) { (_) throws(StoreError) in }
        expectTrue(log.report.version == 1 && log.report.discardedByteCount == 0)
    }
}
