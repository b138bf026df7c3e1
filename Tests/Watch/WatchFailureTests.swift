import Dispatch
import Foundation
import RegnumTestSupport
import Testing

@testable import RegnumWatch

@Suite(.timeLimit(.minutes(40)))
struct WatchFailureTests {
    @Test func missingDirectoryThrows() async throws {
        let loop = WatchLoop()
        defer { loop.stop() }
        let error = await #expect(throws: WatchError.self) {
            try await loop.watchDirectory("/nowhere/at/all", fileName: "LOCK") {}
        }
        expectEqual(
            error, WatchError(reason: .notFound, errnoName: "ENOENT", path: "/nowhere/at/all"))
        expectEqual(
            error?.description, "cannot watch /nowhere/at/all: there is no such directory (ENOENT)")
    }

    @Test func missingFileThrows() async throws {
        let directory = try WatchedDirectory()
        let loop = WatchLoop()
        defer { loop.stop() }
        let error = await #expect(throws: WatchError.self) {
            try await loop.watchDirectory(directory.path, fileName: "absent") {}
        }
        expectEqual(error?.reason, .notFound)
    }

    @Test func fileInPlaceOfTheDirectoryThrows() async throws {
        let directory = try WatchedDirectory()
        directory.write("file")
        let loop = WatchLoop()
        defer { loop.stop() }
        let error = await #expect(throws: WatchError.self) {
            try await loop.watchDirectory("\(directory.path)/file", fileName: "LOCK") {}
        }
        expectEqual(error?.reason, .notADirectory)
    }

    @Test func loopWorksAfterAFailure() async throws {
        let loop = WatchLoop()
        defer { loop.stop() }
        _ = try? await loop.watchDirectory("/nowhere", fileName: "LOCK") {}
        let directory = try WatchedDirectory()
        let hints = HintCounter()
        let token = try await loop.watchDirectory(directory.path, fileName: "LOCK") { hints.hint() }
        directory.write("LOCK")
        await hints.reach(1)
        token.cancel()
    }

    @Test(arguments: [
        (ENOSPC, WatchError.Reason.limit, "ENOSPC"), (EMFILE, .limit, "EMFILE"),
        (ENFILE, .limit, "ENFILE"), (EAGAIN, .limit, "EAGAIN"),
        (EACCES, .permissionDenied, "EACCES"),
        (EIO, .other, "EIO"),
    ])
    func systemErrorsAreNamed(number: CInt, reason: WatchError.Reason, name: String) {
        let error = WatchError(status: -number, path: "/realm")
        expectEqual(error, WatchError(reason: reason, errnoName: name, path: "/realm"))
    }

    @Test func networkFileSystemsAreKnown() {
        expectTrue(isNetworkFileSystem(type: 0x6969))
        expectTrue(isNetworkFileSystem(type: 0xFF53_4D42))
        let shared: [UInt32] = [0x4750_4653, 0x1983_0326, 0x786F_4256, 0xBACB_ACBC, 0x7C7C_6673]
        expectTrue(shared.allSatisfy(isNetworkFileSystem))
        expectTrue(!isNetworkFileSystem(type: 0xEF53))  // ext4
        expectTrue(!isNetworkFileSystem(type: 0x0102_1994))  // tmpfs
        expectTrue(!isOnNetworkFileSystem("/proc"))
        expectTrue(!isOnNetworkFileSystem("/nowhere"))
    }

    /// The loop thread is blocked while more events arrive than the system's queue can hold: later
    /// ones are dropped silently. The timer keeps running, and later events hint again.
    @Test func overflowOfTheEventQueueIsSurvived() async throws {
        let directory = try WatchedDirectory()
        directory.write("LOCK")
        let limit = try String(
            contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
        let capacity = try requireValue(Int(limit.trimmingCharacters(in: .whitespacesAndNewlines)))
        let loop = WatchLoop()
        defer { loop.stop() }
        let hints = HintCounter()
        let hold = DispatchSemaphore(value: 0)
        let token = try await loop.watchDirectory(directory.path, fileName: "LOCK") {
            hints.hint()
            if hints.count == 1 { hold.wait() }
        }
        let fired = HintCounter()
        let timer = try loop.startTimer(intervalMilliseconds: 1) { fired.hint() }
        directory.write("LOCK")
        await hints.reach(1)
        // Two kinds of events in alternation, because consecutive equal ones would be merged.
        let descriptor = open("\(directory.path)/LOCK", O_WRONLY | O_CLOEXEC)
        var byte: UInt8 = 0
        for turn in 0..<max(20_000, capacity + 1_000) {
            if turn % 2 == 0 {
                pwrite(descriptor, &byte, 1, 0)
            } else {
                fchmod(descriptor, 0o600)
            }
        }
        close(descriptor)
        hold.signal()
        await hints.reach(capacity)
        await fired.reach(fired.count + 3)
        await loop.synchronize()
        let before = hints.count
        directory.write("LOCK")
        await hints.reach(before + 1)
        token.cancel()
        timer.cancel()
    }
}

/// Conditions that libuv can't handle.
@Suite struct FewDescriptorTests {
    /// libuv aborts the process if it finds no descriptors for its first loop.
    @Test func aLoopIsRefusedWhileThereAreFewDescriptors() async {
        await #expect(processExitsWith: .exitCode(7)) {
            var held = takeAllDescriptors()
            let loop = WatchLoop(threadName: "few")
            for freeCount in 0..<30 {
                if let token = try? loop.startTimer(intervalMilliseconds: 1000, {}) {
                    token.cancel()
                    loop.stop()
                    exit(freeCount >= 12 ? 7 : 8)
                }
                close(held.removeLast())
            }
            exit(9)
        }
    }

    /// A process that has closed its standard streams still prints to their descriptors.
    @Test func aLoopHasNoDescriptorOfAClosedStream() async {
        await #expect(processExitsWith: .exitCode(7)) {
            for stream in STDIN_FILENO...STDERR_FILENO { close(stream) }
            let loop = WatchLoop(threadName: "closed")
            guard let token = try? await loop.watchDirectory("/etc", fileName: "passwd", {}) else {
                exit(8)
            }
            var name = [CChar](repeating: 0, count: 256)
            for stream in STDIN_FILENO...STDERR_FILENO {
                let count = readlink("/proc/self/fd/\(stream)", &name, name.count)
                let target = String(
                    decoding: name.prefix(max(count, 0)).map { UInt8(bitPattern: $0) },
                    as: UTF8.self)
                // those of a loop; its others can't be told from those of Dispatch
                if target.hasPrefix("pipe:") || target.contains("inotify") { exit(9) }
            }
            token.cancel()
            loop.stop()
            exit(7)
        }
    }
}
