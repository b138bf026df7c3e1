internal import Glibc

/// The threads on which the store waits for disks and locks, so that the cooperative pool of
/// Swift's concurrency never does. They are made when there is work for them, and end after a
/// second without any. Also runs jobs at a later time.
///
/// A job is *short* or *long*. Short ones share a limited number of threads; they end soon, or give
/// their thread up while others wait for one (`isCrowded`). A long one, such as opening a realm or
/// writing a checkpoint, has a thread beside these for as long as it takes, so that it delays no
/// short one.
///
/// Guard of the `@unchecked Sendable`: `state` is touched only between `lock()` and `unlock()` of
/// the POSIX mutex, which a condition variable needs.
package final class IOPool: @unchecked Sendable {
    /// The pool of the process. Its last thread stays once it was made: a process at its limit of
    /// threads can go on writing.
    package static let shared = IOPool(threadCountMax: 16, keepsThread: true)
    /// Threads without a limit, for work of unknown length of which each realm, import or export
    /// has one piece at a time: it may hold a realm's turn, so it must not wait for another
    /// realm's.
    package static let elastic = IOPool(threadCountMax: .max, overflow: .shared)

    package typealias Job = @Sendable () -> Void

    private struct Timer {
        var deadline: UInt64
        var job: Job
    }

    private struct State {
        var jobs: [Job] = []
        var firstJob = 0
        var timers: [Timer] = []  // descending by deadline: the next one is last
        var threads = 0
        var idle = 0
        var claimed = 0  // idle threads that were signalled and have not woken yet
        var arriving = 0  // threads that were made and have not begun to work
        var blocked = 0  // threads beside the limit: they wait for something, or run a long job
        var longCount = 0  // long jobs that run, or are among `jobs`
        var longJobs: ArraySlice<Job> = []  // those for which there is no thread

        /// Where a timer goes: before those that are due as early.
        func timerIndex(_ deadline: UInt64) -> Int {
            var (low, high) = (0, timers.count)
            while low < high {
                let middle = (low + high) / 2
                if timers[middle].deadline > deadline { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    private let threadCountMax: Int
    private let longCountMax: Int
    private let keepsThread: Bool
    private let overflow: IOPool?
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var state = State()
    private static let idleNanoseconds: UInt64 = 1_000_000_000

    /// - Parameters:
    ///   - threadCountMax: so many short jobs run at a time.
    ///   - longCountMax: so many long jobs run at a time.
    ///   - keepsThread: whether the last thread stays.
    ///   - overflow: where jobs go for which the system gives no thread; without one the process
    ///     ends if there is no thread at all.
    package init(
        threadCountMax: Int, longCountMax: Int = 64, keepsThread: Bool = false,
        overflow: IOPool? = nil
    ) {
        self.threadCountMax = threadCountMax
        self.longCountMax = longCountMax
        self.keepsThread = keepsThread
        self.overflow = overflow
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    /// Runs `job` on a thread of the pool as soon as one is free. Never blocks.
    package func submit(_ job: @escaping Job) {
        lock()
        state.jobs.append(job)
        let spawns = claimThread()
        unlock()
        if spawns { spawn() }
    }

    /// Runs `job`, which may take long, on a thread of its own. Never blocks.
    package func submitLong(_ job: @escaping Job) {
        lock()
        guard state.longCount < longCountMax else {
            state.longJobs.append(job)
            return unlock()
        }
        state.longCount += 1
        state.blocked += 1
        state.jobs.append { self.runLong(job) }
        let spawns = claimThread()
        unlock()
        if spawns { spawn() }
    }

    private func runLong(_ first: Job) {
        var job = first
        while true {
            job()
            lock()
            guard let next = state.longJobs.popFirst() else {
                state.longCount -= 1
                state.blocked -= 1
                return unlock()
            }
            unlock()
            job = next
        }
    }

    /// Whether a short job waits for a thread: one that could go on for long gives its own up.
    package var isCrowded: Bool {
        lock()
        defer { unlock() }
        return state.jobs.count - state.firstJob > state.claimed + state.arriving
    }

    /// Whether so many threads wait already that no more should.
    package var hasManyWaiting: Bool {
        lock()
        defer { unlock() }
        return state.blocked - state.longCount >= longCountMax
    }

    /// Makes the first thread, if there is none yet.
    ///
    /// Throws `ioFailed` if the system gives the process no thread.
    package func prepare() throws(StoreError) {
        lock()
        let isMissing = state.threads == 0
        if isMissing {
            state.threads += 1
            state.arriving += 1
        }
        unlock()
        guard isMissing else { return }
        let result = makeThread()
        guard result != 0 else { return }
        lock()
        state.threads -= 1
        state.arriving -= 1
        unlock()
        throw StoreError(
            .ioFailed,
            "The system gives this process no thread (\(String(cString: strerror(result)))): raise "
                + "its limit of threads.", errno: result)
    }

    /// Runs `job` on a thread of the pool after the time has passed. Never blocks.
    package func schedule(afterNanoseconds delay: UInt64, _ job: @escaping Job) {
        let (sum, isOver) = Self.now().addingReportingOverflow(delay)
        let deadline = isOver ? UInt64(Int64.max) : min(sum, UInt64(Int64.max))
        lock()
        let index = state.timerIndex(deadline)
        state.timers.insert(Timer(deadline: deadline, job: job), at: index)
        let spawns = index == state.timers.count - 1 ? claimThread() : false
        unlock()
        if spawns { spawn() }
    }

    /// Runs `body`, part of a short job that sleeps or waits for another process, without counting
    /// its thread against the limit.
    package func waiting<R>(_ body: () -> R) -> R {
        changeBlocked(1)
        defer { changeBlocked(-1) }
        return body()
    }

    /// Threads that exist now.
    package var threadCount: Int {
        lock()
        defer { unlock() }
        return state.threads
    }

    private func changeBlocked(_ change: Int) {
        lock()
        state.blocked += change
        let isNeeded = state.firstJob < state.jobs.count || needsTimekeeper
        let spawns = change > 0 && isNeeded ? claimThread() : false
        unlock()
        if spawns { spawn() }
    }

    private func lock() { pthread_mutex_lock(mutex) }
    private func unlock() { pthread_mutex_unlock(mutex) }

    /// Under the lock: has an idle thread look for work; true if a new thread must be made.
    private func claimThread() -> Bool {
        if state.idle > state.claimed {
            state.claimed += 1
            pthread_cond_signal(condition)
            return false
        }
        guard state.threads - state.blocked < threadCountMax else { return false }
        state.threads += 1
        state.arriving += 1
        return true
    }

    /// Makes a thread, which the caller has counted. Returns the system's error, 0 for success.
    private func makeThread() -> Int32 {
        let box = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<IOPool>.fromOpaque(argument).takeRetainedValue().work()
                return nil
            }, box.toOpaque())
        if result == 0 { pthread_detach(thread) } else { box.release() }
        return result
    }

    private func spawn() {
        let result = makeThread()
        if result == 0 { return }
        lock()
        state.threads -= 1
        state.arriving -= 1
        let isLast = state.threads == 0
        let job = overflow == nil || state.firstJob == state.jobs.count ? nil : takeJob()
        unlock()
        if let overflow {
            if let job { overflow.submitLong(job) }
        } else if isLast {
            fatalError("The system gives this process no thread (error \(result)).")
        }
    }

    /// Under the lock: the job that comes next. There is one.
    private func takeJob() -> Job {
        let job = state.jobs[state.firstJob]
        state.firstJob += 1
        if state.firstJob == state.jobs.count {
            state.jobs.removeAll(keepingCapacity: true)
            state.firstJob = 0
        } else if state.firstJob >= 64, state.firstJob * 2 > state.jobs.count {
            state.jobs.removeFirst(state.firstJob)
            state.firstJob = 0
        }
        return job
    }

    private func work() {
        lock()
        state.arriving -= 1
        while true {
            takeDueTimers()
            // those that waited are back: what they were replaced by goes
            if state.threads - state.blocked > threadCountMax {
                state.threads -= 1
                return unlock()
            }
            if state.firstJob < state.jobs.count {
                let job = takeJob()
                // whoever leaves with a job hands the timers over
                let spawns = needsTimekeeper ? claimThread() : false
                unlock()
                if spawns { spawn() }
                job()
                lock()
                continue
            }
            let now = Self.now()
            let deadline = min(state.timers.last?.deadline ?? .max, now + Self.idleNanoseconds)
            var time = timespec(
                tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
            state.idle += 1
            let result = pthread_cond_timedwait(condition, mutex, &time)
            state.idle -= 1
            if state.claimed > 0 {
                state.claimed -= 1
            } else if result == ETIMEDOUT, deadline == now + Self.idleNanoseconds,
                state.firstJob == state.jobs.count, state.timers.isEmpty || state.idle > 0,
                !keepsThread || state.threads > 1
            {
                state.threads -= 1
                unlock()
                return
            }
        }
    }

    /// Under the lock: no thread waits for the timers.
    private var needsTimekeeper: Bool { !state.timers.isEmpty && state.idle == state.claimed }

    private func takeDueTimers() {
        guard !state.timers.isEmpty else { return }
        let now = Self.now()
        while let timer = state.timers.last, timer.deadline <= now {
            state.timers.removeLast()
            state.jobs.append(timer.job)
        }
    }

    /// CLOCK_MONOTONIC in nanoseconds.
    package static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
