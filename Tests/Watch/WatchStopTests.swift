import Foundation
import RegnumTestSupport
import Testing

@testable import RegnumWatch

@Suite(.timeLimit(.minutes(40)))
struct WatchStopTests {
    @Test func stoppedLoopStartsAgainOnUse() async throws {
        let directory = try WatchedDirectory()
        let loop = WatchLoop(threadName: "watch-again")
        let stale = HintCounter()
        let old = try await loop.watchDirectory(directory.path, fileName: "LOCK") { stale.hint() }
        _ = try loop.startTimer(intervalMilliseconds: 1) {}
        expectEqual(threadCount(named: "watch-again"), 1)
        loop.stop()
        // The thread is joined, but the system removes its entry a moment later.
        while threadCount(named: "watch-again") != 0 { await Task.yield() }
        let hints = HintCounter()
        let token = try await loop.watchDirectory(directory.path, fileName: "LOCK") { hints.hint() }
        directory.write("LOCK")
        await hints.reach(1)
        expectEqual(threadCount(named: "watch-again"), 1)
        expectEqual(stale.count, 0)
        old.cancel()
        token.cancel()
        loop.stop()
        loop.stop()
        await loop.synchronize()
    }

    @Test func unusedLoopHasNoThread() {
        let loop = WatchLoop(threadName: "watch-unused")
        loop.stop()
        expectEqual(threadCount(named: "watch-unused"), 0)
    }

    @Test func droppedLoopEndsItsThread() async throws {
        do {
            let loop = WatchLoop(threadName: "watch-dropped")
            let fired = HintCounter()
            let token = try loop.startTimer(intervalMilliseconds: 1) { fired.hint() }
            await fired.reach(1)
            token.cancel()
        }
        while threadCount(named: "watch-dropped") != 0 { await Task.yield() }
    }

    @Test func stopFromAHintTrapsWithASentence() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let loop = WatchLoop()
            let token = try loop.startTimer(intervalMilliseconds: 1) { loop.stop() }
            for await _ in AsyncStream<Never>.makeStream().stream { token.cancel() }
        }
        let message = String(decoding: try requireValue(result).standardErrorContent, as: UTF8.self)
        expectTrue(message.contains("WatchLoop.stop() called from a hint"))
    }

    /// Tasks that watch, write, cancel and stop concurrently: for the thread sanitizer, and to
    /// detect a stop that hangs or leaves a task waiting.
    @Test func watchingCancellingAndStoppingInParallelEnds() async throws {
        let directory = try WatchedDirectory()
        directory.write("LOCK")
        let loop = WatchLoop()
        let hints = HintCounter()
        let watched = await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var watched = 0
                    for round in 0..<100 {
                        let token = try? await loop.watchDirectory(
                            directory.path, fileName: "LOCK"
                        ) { hints.hint() }
                        let timer = try? loop.startTimer(intervalMilliseconds: 1) { hints.hint() }
                        directory.write("LOCK")
                        token?.cancel()
                        timer?.cancel()
                        if token != nil { watched += 1 }
                        if task == 0 && round % 25 == 24 { loop.stop() }
                    }
                    return watched
                }
            }
            return await group.reduce(0, +)
        }
        loop.stop()
        expectTrue(watched > 0)
    }
}
