import Foundation
import RegnumStore
import RegnumTestSupport
import Testing

/// A forked child inherits the descriptors of its parent, and with them its locks.
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
}
