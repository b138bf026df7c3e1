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
        let output = try OpenChildProcess.run(path, "fork").output
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
        try OpenChildProcess.expectOneCommit(path)
    }

    /// Otherwise no process could write to the realm until the child ends.
    @Test func childKeepsNoLockOfAParentThatWasKilled() throws {
        let place = try RealDirectory(inMemory: false)
        let path = place.path + "/a.realm"
        let output = try OpenChildProcess.run(path, "orphan").output
        let child = try requireValue(pid_t(output.trimmingCharacters(in: .newlines)), "\(output)")
        defer { kill(child, SIGKILL) }
        expectEqual(kill(child, 0), 0)
        let lock = try PosixFileSystem.shared.openDirectory(path, .existing).openLock()
        expectTrue(!lock.isLockedElsewhere(.session) && !lock.isLockedElsewhere(.writer))
    }
}
