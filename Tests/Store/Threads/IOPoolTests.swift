import Glibc
import RegnumStore
import RegnumTestSupport
import Testing

/// Which jobs can delay which other jobs.
@Suite struct IOPoolTests {
    /// A condition for which a job waits, for ten minutes at most.
    private final class Gate: Sendable {
        private let word = WakeWord()

        func open() { word.wake() }

        func wait() {
            let end = IOPool.now() + 600_000_000_000
            while !isOpen, IOPool.now() < end {
                // `wake` ends the wait of one job
                word.wait(observed: 0, timeoutNanoseconds: 10_000_000)
            }
        }

        var isOpen: Bool { word.observe() > 0 }
    }

    @Test func longJobsDelayNoShortOne() async {
        let pool = IOPool(maximumThreadCount: 1, maximumLongCount: 2)
        let gate = Gate()
        await withCheckedContinuation { done in
            for _ in 0..<3 { pool.submitLong { gate.wait() } }
            pool.submit { done.resume() }
        }
        expectTrue(!gate.isOpen)
        gate.open()
        // The third long job had no thread, and runs when one of the others ends.
        await withCheckedContinuation { done in pool.submitLong { done.resume() } }
    }

    /// The disk of the short jobs doesn't answer.
    @Test func longJobsWaitForNoShortOne() async {
        let pool = IOPool(maximumThreadCount: 1)
        let gate = Gate()
        let opener = Task {
            try await Task.sleep(for: .seconds(300))
            gate.open()
        }
        let order = Guarded<[Int]>([])
        for _ in 0..<4 { pool.submit { gate.wait() } }
        for number in 0..<3 {
            await withCheckedContinuation { done in
                pool.submitLong {
                    order.withLock { $0.append(number) }
                    done.resume()
                }
            }
        }
        expectTrue(!gate.isOpen)
        expectEqual(order.withLock { $0 }, [0, 1, 2])
        opener.cancel()
        gate.open()
        await withCheckedContinuation { done in pool.submit { done.resume() } }
    }

    /// Jobs that have waited run on more threads than others. The disk doesn't answer them.
    @Test func longJobsWaitForNoJobThatHasWaited() async {
        let pool = IOPool(maximumThreadCount: 1)
        let (start, last, gate) = (Gate(), Gate(), Gate())
        let opener = Task {
            try await Task.sleep(for: .seconds(300))
            gate.open()
        }
        let continued = (0..<4).map { _ in Gate() }
        for next in continued {
            pool.submit {
                pool.waiting { start.wait() }
                next.open()
                gate.wait()
            }
        }
        await withCheckedContinuation { done in pool.submit { done.resume() } }
        start.open()
        await withCheckedContinuation { done in
            IOPool.elastic.submit {
                for next in continued { next.wait() }
                done.resume()
            }
        }
        for _ in 0..<2 { pool.submitLong { last.wait() } }
        await withCheckedContinuation { done in
            pool.submitLong {
                last.open()
                done.resume()
            }
        }
        expectTrue(!gate.isOpen)
        opener.cancel()
        gate.open()
        await withCheckedContinuation { done in pool.submit { done.resume() } }
    }

    /// A job that has waited is running again, so that there are more threads than usual. The idle
    /// one that is woken for a job takes it, instead of leaving it to another that isn't.
    @Test func anIdleThreadTakesTheJobThatItIsWokenFor() async throws {
        let pool = IOPool(maximumThreadCount: 2, idleNanoseconds: 3_600_000_000_000)
        let (start, continued, gate, first, second) = (Gate(), Gate(), Gate(), Gate(), Gate())
        pool.submit {
            pool.waiting { start.wait() }
            continued.open()
            gate.wait()
        }
        await withCheckedContinuation { done in
            pool.submit {
                first.open()
                second.wait()
                done.resume()
            }
            pool.submit {
                second.open()
                first.wait()
            }
        }
        try await Task.sleep(for: .milliseconds(50))  // in which both become idle
        start.open()
        await withCheckedContinuation { done in
            IOPool.elastic.submit {
                continued.wait()
                done.resume()
            }
        }
        let isStarted = Gate()
        pool.submit { isStarted.open() }
        let end = ContinuousClock.now + .seconds(300)
        while !isStarted.isOpen, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(1))
        }
        expectTrue(isStarted.isOpen)
        gate.open()
    }

    /// The thread runs the long jobs for which others can't be created.
    @Test func theKeptThreadDoesNotEndForThreadsThatCannotBeCreated() async throws {
        let (isRunning, start) = (Gate(), Gate())
        let (asked, refusals) = ([Gate(), Gate()], [Gate(), Gate()])
        let callCount = Guarded(0)
        let pool = IOPool(
            maximumThreadCount: 1, keepsThread: true, overflow: IOPool(maximumThreadCount: 1)
        ) { pool in
            let call = callCount.withLock { count in
                defer { count += 1 }
                return count
            }
            if call == 0 { return pool.createThread() }
            if call <= asked.count {
                asked[call - 1].open()
                refusals[call - 1].wait()
            }
            return EAGAIN
        }
        let opener = Task {
            try await Task.sleep(for: .seconds(300))
            for refusal in refusals { refusal.open() }
        }
        try pool.prepare()
        pool.submit {
            isRunning.open()
            start.wait()
        }
        let (longJobs, callers) = ([Gate(), Gate()], [Gate(), Gate()])
        await withCheckedContinuation { done in
            IOPool.elastic.submit {
                isRunning.wait()
                for (job, caller) in zip(longJobs, callers) {
                    IOPool.elastic.submit {
                        pool.submitLong { job.open() }
                        caller.open()
                    }
                }
                for next in asked { next.wait() }
                start.open()
                for job in longJobs { job.wait() }
                done.resume()
            }
        }
        await withCheckedContinuation { done in pool.submit { done.resume() } }
        expectTrue(!refusals[0].isOpen)
        opener.cancel()
        for refusal in refusals { refusal.open() }
        await withCheckedContinuation { done in
            IOPool.elastic.submit {
                for caller in callers { caller.wait() }
                done.resume()
            }
        }
        expectEqual(pool.threadCount, 1)
    }

    /// The second job comes while the thread for the first can't be created, so that the pool seems
    /// to have all its threads.
    @Test func noJobIsLeftIfTheLastThreadCannotBeCreated() async {
        let overflow = IOPool(maximumThreadCount: 1)
        let (first, second) = (Gate(), Gate())
        let pool = IOPool(maximumThreadCount: 1, overflow: overflow) { pool in
            pool.submit { second.open() }
            return EAGAIN
        }
        pool.submit { first.open() }
        await withCheckedContinuation { done in
            overflow.submit {
                first.wait()
                second.wait()
                done.resume()
            }
        }
        expectTrue(first.isOpen && second.isOpen)
    }

    @Test func aJobThatWaitsDelaysNoOther() async {
        let pool = IOPool(maximumThreadCount: 1)
        let gate = Gate()
        await withCheckedContinuation { done in
            pool.submit {
                pool.waiting { gate.wait() }
                done.resume()
            }
            pool.submit { gate.open() }
        }
        expectTrue(pool.threadCount <= 2)
    }

    @Test func aPoolIsCrowdedWhileAShortJobHasNoThread() async {
        let pool = IOPool(maximumThreadCount: 1)
        let gate = Gate()
        let wasCrowded = await withCheckedContinuation { done in
            pool.submit {
                let before = pool.isSaturated
                pool.submit { gate.open() }
                done.resume(returning: (before, pool.isSaturated))
            }
        }
        expectTrue(wasCrowded == (false, true))
        await withCheckedContinuation { done in pool.submit { done.resume() } }
        expectTrue(gate.isOpen && !pool.isSaturated)
    }

    /// The thread that wakes up for one timer takes all that are due.
    @Test func timersThatAreDueTogetherDoNotDelayEachOther() async {
        let pool = IOPool(maximumThreadCount: 4)
        for _ in 0..<20 {
            let (first, second) = (Gate(), Gate())
            let haveMet = await withCheckedContinuation { done in
                pool.schedule(afterNanoseconds: 1_000_000) {
                    first.open()
                    second.wait()
                    done.resume(returning: second.isOpen)
                }
                pool.schedule(afterNanoseconds: 1_000_000) {
                    second.open()
                    first.wait()
                }
            }
            expectTrue(haveMet)
            if !haveMet { return }
        }
    }

    /// Of two idle threads, one has learned of the timers. It runs the first one's job, which a
    /// disk holds up.
    @Test func aTimerDoesNotWaitForTheJobOfAnEarlierOne() async throws {
        let pool = IOPool(maximumThreadCount: 4, idleNanoseconds: 3_600_000_000_000)
        let (first, second, gate) = (Gate(), Gate(), Gate())
        await withCheckedContinuation { done in
            pool.submit {
                first.open()
                second.wait()
                done.resume()
            }
            pool.submit {
                second.open()
                first.wait()
            }
        }
        try await Task.sleep(for: .milliseconds(50))  // in which both become idle
        let opener = Task {
            try await Task.sleep(for: .seconds(300))
            gate.open()
        }
        let wasHeldUp = await withCheckedContinuation { done in
            pool.schedule(afterNanoseconds: 100_000_000) { gate.wait() }
            pool.schedule(afterNanoseconds: 500_000_000) { done.resume(returning: gate.isOpen) }
        }
        expectTrue(!wasHeldUp)
        opener.cancel()
        gate.open()
    }

    @Test func theElasticPoolHasAThreadForEachJob() async {
        let gate = Gate()
        await withCheckedContinuation { done in
            for _ in 0..<40 { IOPool.elastic.submit { gate.wait() } }
            IOPool.elastic.submit { done.resume() }
        }
        expectTrue(!gate.isOpen)
        gate.open()
    }

    @Test func theFirstThreadIsMadeOnce() throws {
        let pool = IOPool(maximumThreadCount: 4, keepsThread: true)
        expectEqual(pool.threadCount, 0)
        try pool.prepare()
        try pool.prepare()
        expectEqual(pool.threadCount, 1)
    }

    /// The second caller comes while the thread of the first one can't be created. If it went on,
    /// the process would trap for lack of a thread.
    // Covers .ioFailed
    @Test func everyCallerLearnsThatNoThreadCanBeCreated() {
        let second = Guarded<StoreError?>(nil)
        let isFirst = Guarded(true)
        let pool = IOPool(maximumThreadCount: 1, keepsThread: true) { pool in
            let isOuter = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if isOuter {
                do throws(StoreError) { try pool.prepare() } catch {
                    second.withLock { $0 = error }
                }
            }
            return EAGAIN
        }
        let first = #expect(throws: StoreError.self) { try pool.prepare() }
        expectEqual(first?.code, .ioFailed)
        expectEqual(second.withLock { $0?.code }, .ioFailed)
        expectEqual(pool.threadCount, 0)
    }
}
