import Foundation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import RegnumWatch

@Suite(.timeLimit(.minutes(40)))
struct WatchLoopTests {
    @Test func writeToTheFileHints() async throws {
        let directory = try WatchedDirectory()
        directory.write("LOCK")
        let loop = WatchLoop()
        defer { loop.stop() }
        let hints = HintCounter()
        let token = try await loop.watchDirectory(directory.path, fileName: "LOCK") { hints.hint() }
        for count in 1...3 {
            directory.write("LOCK")
            await hints.reach(count)
        }
        token.cancel()
    }

    /// Events of one loop are delivered in order: once LOCK has hinted, all earlier ones were
    /// processed.
    @Test func writesToOtherFilesDoNotHint() async throws {
        let directory = try WatchedDirectory()
        directory.write("LOCK")
        let loop = WatchLoop()
        defer { loop.stop() }
        let hints = HintCounter()
        let token = try await loop.watchDirectory(directory.path, fileName: "LOCK") { hints.hint() }
        directory.write("other", times: 100)
        directory.write("LOCK2")
        directory.write("LOCK")
        await hints.reach(1)
        await loop.synchronize()
        expectEqual(hints.count, 1)
        token.cancel()
    }

    @Test func eventWithoutNameHints() {
        expectTrue(DirectoryWatch.concerns(nil, "LOCK"))
        expectTrue(DirectoryWatch.concerns("LOCK", "LOCK"))
        expectTrue(!DirectoryWatch.concerns("LOCK2", "LOCK"))
        expectTrue(!DirectoryWatch.concerns("", "LOCK"))
    }

    @Test func storesThroughAMappingDoNotHint() async throws {
        let directory = try WatchedDirectory()
        directory.write("LOCK")
        let descriptor = open("\(directory.path)/LOCK", O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        let page = try requireValue(mmap(nil, 1, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0))
        defer { munmap(page, 1) }
        let loop = WatchLoop()
        defer { loop.stop() }
        let hints = HintCounter()
        let token = try await loop.watchDirectory(directory.path, fileName: "LOCK") { hints.hint() }
        for value in 0..<100 { page.storeBytes(of: UInt8(value), as: UInt8.self) }
        var byte: UInt8 = 1
        pwrite(descriptor, &byte, 1, 0)
        await hints.reach(1)
        await loop.synchronize()
        expectEqual(hints.count, 1)
        token.cancel()
    }

    @Test func manyWatchesShareOneThread() async throws {
        let loop = WatchLoop(threadName: "watch-many")
        expectEqual(threadCount(named: "watch-many"), 0)
        var watches: [(directory: WatchedDirectory, hints: HintCounter, token: WatchToken)] = []
        for _ in 0..<50 {
            let directory = try WatchedDirectory()
            let hints = HintCounter()
            let token = try await loop.watchDirectory(directory.path, fileName: "LOCK") {
                hints.hint()
            }
            watches.append((directory, hints, token))
        }
        expectEqual(threadCount(named: "watch-many"), 1)
        for watch in watches { watch.directory.write("LOCK") }
        for watch in watches { await watch.hints.reach(1) }
        loop.stop()
    }

    @Test func twoWatchesOnOneFileBothHint() async throws {
        let directory = try WatchedDirectory()
        let loop = WatchLoop()
        defer { loop.stop() }
        let first = HintCounter()
        let second = HintCounter()
        let token = try await loop.watchDirectory(directory.path, fileName: "LOCK") { first.hint() }
        let other = try await loop.watchDirectory(directory.path, fileName: "LOCK") {
            second.hint()
        }
        directory.write("LOCK")
        await first.reach(1)
        await second.reach(1)
        token.cancel()
        await loop.synchronize()
        let before = second.count
        directory.write("LOCK")
        await second.reach(before + 1)
        other.cancel()
    }

    @Test func cancelledWatchDoesNotHint() async throws {
        let directory = try WatchedDirectory()
        directory.write("LOCK")
        let loop = WatchLoop()
        defer { loop.stop() }
        let cancelled = HintCounter()
        let witness = HintCounter()
        let token = try await loop.watchDirectory(directory.path, fileName: "LOCK") {
            cancelled.hint()
        }
        let kept = try await loop.watchDirectory(directory.path, fileName: "LOCK") {
            witness.hint()
        }
        token.cancel()
        token.cancel()
        await loop.synchronize()
        directory.write("LOCK")
        await witness.reach(1)
        expectEqual(cancelled.count, 0)
        kept.cancel()
    }

    @Test func droppedTokenEndsItsWatchAndReleasesTheHint() async throws {
        let directory = try WatchedDirectory()
        let loop = WatchLoop()
        defer { loop.stop() }
        weak var released: HintCounter?
        do {
            let hints = HintCounter()
            released = hints
            _ = try await loop.watchDirectory(directory.path, fileName: "LOCK") { hints.hint() }
        }
        // The first iteration closes the handle, and the close callback follows within it.
        await loop.synchronize()
        await loop.synchronize()
        expectNil(released)
    }

    @Test func hintMayCancelItsOwnWatch() async throws {
        let loop = WatchLoop()
        defer { loop.stop() }
        let fired = HintCounter()
        let held = TokenBox()
        try held.token.withLock { token in
            token = try loop.startTimer(intervalMilliseconds: 1) {
                fired.hint()
                held.token.withLock { $0?.cancel() }
            }
        }
        await fired.reach(1)
        // The witness's timer, started later, would be overtaken by another timer round of the
        // first loop.
        let witnessed = HintCounter()
        let witness = try loop.startTimer(intervalMilliseconds: 1) { witnessed.hint() }
        await witnessed.reach(5)
        expectEqual(fired.count, 1)
        witness.cancel()
    }

    @Test func timerFiresAgainAndAgain() async throws {
        let loop = WatchLoop()
        defer { loop.stop() }
        let fired = HintCounter()
        let token = try loop.startTimer(intervalMilliseconds: 2) { fired.hint() }
        await fired.reach(5)
        token.cancel()
    }
}
