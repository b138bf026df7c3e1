import Foundation
import RegnumStore
import RegnumTestSupport
import Testing

/// A forked child inherits the descriptors of its parent.
@Suite struct ForkTests {
    // Covers .closed
    @Test func forkedChildChangesNothingAndTakesNoLock() throws {
        let place = try RealDirectory(inMemory: false)
        let path = place.path + "/a.realm"
        let process = Process()
        process.executableURL = try BuiltProduct.file("RegnumOpenChild")
        process.arguments = [path, "fork"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(
            decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        expectEqual(
            output,
            """
            append outcomeUnknown
            lock closed
            open closed
            session true
            writer true
            parent done

            """)
        let log = try RealmLog.open(
            PosixFileSystem.shared, path: path, options: StoreOptions()
        ) { (_) throws(StoreError) in }
        expectTrue(log.report.version == 1 && log.report.discardedByteCount == 0)
    }

    /// Otherwise no process could write to the realm until the child ends.
    @Test func childKeepsNoLockOfAParentThatWasKilled() throws {
        let place = try RealDirectory(inMemory: false)
        let path = place.path + "/a.realm"
        let process = Process()
        process.executableURL = try BuiltProduct.file("RegnumOpenChild")
        process.arguments = [path, "orphan"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(
            decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let child = try requireValue(pid_t(output.trimmingCharacters(in: .newlines)), "\(output)")
        defer { kill(child, SIGKILL) }
        expectEqual(kill(child, 0), 0)
        let lock = try PosixFileSystem.shared.openDirectory(path, .existing).openLock()
        expectTrue(!lock.isLockedElsewhere(.session) && !lock.isLockedElsewhere(.writer))
    }
}
