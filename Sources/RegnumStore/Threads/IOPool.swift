internal import Glibc

/// A thread pool for work that blocks on disks and locks, which would otherwise block the
/// cooperative pool of Swift concurrency. Threads are created on demand and end after being idle
/// for a second. The pool also runs jobs after a delay.
///
/// A job is *short* or *long*. Short jobs share a limited number of threads; they end soon, or
/// yield their thread while others wait for one (`isSaturated`). A long job, such as opening a
/// realm or writing a checkpoint, has a thread in addition to these for as long as it takes, so
/// that it delays no short job, and waits for none.
///
/// Guard of the `@unchecked Sendable`: `state` is accessed only between `lock()` and `unlock()` of
/// the POSIX mutex, which a condition variable needs.
package final class IOPool: @unchecked Sendable {
    /// The shared pool of the process. Its last thread never ends, so that a process at its thread
    /// limit can continue to write.
    package static let shared = IOPool(maximumThreadCount: 16, keepsThread: true)
    /// A pool without a thread limit, for work of unknown duration. Each realm, import, export or
    /// integrity check has at most one such job at a time, and so has each process that is asked
    /// for its state; since it may hold a realm's turn, it must not wait for another realm's job.
    package static let elastic = IOPool(maximumThreadCount: .max, overflow: .shared)

    package typealias Job = @Sendable () -> Void

    private struct Timer {
        var deadline: UInt64
        var job: Job
    }

    private struct State {
        var jobs: [Job] = []
        var firstJob = 0
        var firstLongCount = 0  // long jobs, which are the first in `jobs`
        var timers: [Timer] = []  // descending by deadline, so that the next one is last
        var nextTimerCount = 0  // timers that became the next one when they were added
        var timekeepers = 0  // idle threads that wake up in time for the next timer
        var threads = 0
        var idle = 0
        var claimed = 0  // idle threads that were signaled but haven't woken up yet
        var arriving = 0  // threads that haven't started to work yet
        var made = 0  // threads that were created; the others in `threads` may fail to be
        var blocked = 0  // threads that don't count: they wait for something or run a long job
        var longCount = 0  // long jobs that are running or in `jobs`
        var longJobs: ArraySlice<Job> = []  // long jobs over the limit

        /// Returns the insertion index of a timer, before timers with the same deadline.
        func timerIndex(_ deadline: UInt64) -> Int {
            var (low, high) = (0, timers.count)
            while low < high {
                let middle = (low + high) / 2
                if timers[middle].deadline > deadline { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    private let maximumThreadCount: Int
    private let maximumLongCount: Int
    private let keepsThread: Bool
    private let overflow: IOPool?
    private let makeThread: @Sendable (IOPool) -> Int32
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var state = State()
    private let idleNanoseconds: UInt64

    /// - Parameters:
    ///   - maximumThreadCount: the maximum number of short jobs that run concurrently.
    ///   - maximumLongCount: the maximum number of long jobs that run concurrently.
    ///   - keepsThread: whether the last thread is kept when it is idle.
    ///   - idleNanoseconds: the time after which an idle thread ends.
    ///   - overflow: the pool that takes jobs for which no thread can be created. Without one, the
    ///     process traps if the pool has no thread at all.
    ///   - makeThread: creates a thread of the pool. Returns the system's error number, or 0.
    package init(
        maximumThreadCount: Int, maximumLongCount: Int = 64, keepsThread: Bool = false,
        idleNanoseconds: UInt64 = 1_000_000_000, overflow: IOPool? = nil,
        makeThread: (@Sendable (IOPool) -> Int32)? = nil
    ) {
        self.makeThread = makeThread ?? { $0.createThread() }
        self.maximumThreadCount = maximumThreadCount
        self.maximumLongCount = maximumLongCount
        self.keepsThread = keepsThread
        self.idleNanoseconds = idleNanoseconds
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

    /// Runs `job` on a thread of the pool as soon as one is available. Never blocks.
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
        guard state.longCount < maximumLongCount else {
            state.longJobs.append(job)
            return unlock()
        }
        state.longCount += 1
        state.blocked += 1
        // The thread that is added takes the first job. Short ones may be there because a disk
        // holds up all other threads.
        state.jobs.insert({ self.runLong(job) }, at: state.firstJob + state.firstLongCount)
        state.firstLongCount += 1
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

    /// Whether a short job is waiting for a thread. Jobs that could continue for long should then
    /// yield theirs.
    package var isSaturated: Bool {
        lock()
        defer { unlock() }
        return lacksThreads
    }

    /// Whether so many threads are already waiting that no more should be added.
    package var hasManyWaiting: Bool {
        lock()
        defer { unlock() }
        return state.blocked - state.longCount >= maximumLongCount
    }

    /// Creates the first thread if there is none yet.
    ///
    /// Throws `ioFailed` if no thread can be created.
    package func prepare() throws(StoreError) {
        lock()
        // One that another caller is creating may fail.
        let isMissing = state.made == 0
        if isMissing {
            state.threads += 1
            state.arriving += 1
        }
        unlock()
        guard isMissing else { return }
        let result = makeThread(self)
        lock()
        noteThread(result)
        unlock()
        if result == 0 { return }
        throw StoreError(
            .ioFailed,
            "Cannot create a thread (\(String(cString: strerror(result)))). Raise the "
                + "thread limit of this process.", errno: result)
    }

    /// Runs `job` on a thread of the pool after the delay. Never blocks.
    package func schedule(afterNanoseconds delay: UInt64, _ job: @escaping Job) {
        let (sum, isOver) = Self.now().addingReportingOverflow(delay)
        let deadline = isOver ? UInt64(Int64.max) : min(sum, UInt64(Int64.max))
        lock()
        let index = state.timerIndex(deadline)
        state.timers.insert(Timer(deadline: deadline, job: job), at: index)
        let isNext = index == state.timers.count - 1
        if isNext {
            state.nextTimerCount += 1
            state.timekeepers = 0
        }
        let spawns = isNext ? claimThread() : false
        unlock()
        if spawns { spawn() }
    }

    /// Runs `body`, a part of a short job that sleeps or waits for another process, without
    /// counting its thread towards the limit.
    package func waiting<R>(_ body: () -> R) -> R {
        changeBlocked(1)
        defer { changeBlocked(-1) }
        return body()
    }

    /// The current number of threads.
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

    /// Signals an idle thread to look for work. Returns true if a new thread must be created
    /// instead. Call with the lock held.
    private func claimThread() -> Bool {
        if state.idle > state.claimed {
            state.claimed += 1
            pthread_cond_signal(condition)
            return false
        }
        guard state.threads - state.blocked < maximumThreadCount || lacksLongThreads else {
            return false
        }
        state.threads += 1
        state.arriving += 1
        return true
    }

    /// Creates a thread, which the caller has counted: the default of `makeThread`.
    package func createThread() -> Int32 {
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

    /// Notes the result of `makeThread`. Call with the lock held.
    private func noteThread(_ result: Int32) {
        if result == 0 {
            state.made += 1
        } else {
            state.threads -= 1
            state.arriving -= 1
        }
    }

    private func spawn() {
        let result = makeThread(self)
        lock()
        noteThread(result)
        if result == 0 { return unlock() }
        let isLast = state.threads == 0
        var jobs: [Job] = []
        // The last one takes all: no thread is left for those beyond `maximumThreadCount`.
        while overflow != nil, state.firstJob < state.jobs.count, jobs.isEmpty || isLast {
            jobs.append(takeJob())
        }
        unlock()
        if let overflow {
            for job in jobs { overflow.submitLong(job) }
        } else if isLast {
            fatalError("Cannot create a thread (error \(result)).")
        }
    }

    /// Removes and returns the next job. Call with the lock held, and only if there is one.
    private func takeJob() -> Job {
        let job = state.jobs[state.firstJob]
        state.firstJob += 1
        state.firstLongCount = max(state.firstLongCount - 1, 0)
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
            // Threads that were blocked are running again, so surplus threads end. A disk may hold
            // up the others, so that only this one can take a long job. Those that are idle or that
            // can't be created would take no job in its place.
            if state.made - state.blocked - state.idle > maximumThreadCount,
                state.firstLongCount == 0
            {
                return endThread()
            }
            if state.firstJob < state.jobs.count {
                let job = takeJob()
                // A thread that starts a job hands over the timers, and jobs of other timers that
                // were due at the same time.
                let spawns = needsTimekeeper || lacksThreads ? claimThread() : false
                unlock()
                if spawns { spawn() }
                job()
                lock()
                continue
            }
            let now = Self.now()
            let deadline = min(state.timers.last?.deadline ?? .max, now + idleNanoseconds)
            var time = timespec(
                tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
            let nextTimerCount = state.nextTimerCount
            state.idle += 1
            state.timekeepers += 1
            let result = pthread_cond_timedwait(condition, mutex, &time)
            state.idle -= 1
            if nextTimerCount == state.nextTimerCount { state.timekeepers -= 1 }
            if state.claimed > 0 {
                state.claimed -= 1
            } else if result == ETIMEDOUT, deadline == now + idleNanoseconds,
                state.firstJob == state.jobs.count, state.timers.isEmpty || state.idle > 0,
                !keepsThread || state.made > 1
            {
                return endThread()
            }
        }
    }

    /// Notes the end of the calling thread, and releases the lock.
    private func endThread() {
        state.threads -= 1
        state.made -= 1
        unlock()
    }

    /// Whether there are more jobs than threads on their way to one. Call with the lock held.
    private var lacksThreads: Bool {
        state.jobs.count - state.firstJob > state.claimed + state.arriving
    }

    /// Whether there are more long jobs than threads on their way to one, which take these first.
    /// Call with the lock held.
    private var lacksLongThreads: Bool {
        state.firstLongCount > state.claimed + state.arriving
    }

    /// Whether no thread is waiting for the timers: those that were idle before the next one was
    /// added don't know it. Call with the lock held.
    private var needsTimekeeper: Bool {
        !state.timers.isEmpty && state.timekeepers <= state.claimed
    }

    private func takeDueTimers() {
        guard !state.timers.isEmpty else { return }
        let now = Self.now()
        while let timer = state.timers.last, timer.deadline <= now {
            state.timers.removeLast()
            state.jobs.append(timer.job)
        }
    }

    /// Returns the time of CLOCK_MONOTONIC in nanoseconds.
    package static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Returns the time of `now` at the last tick of the system, a few milliseconds ago. Takes a
    /// quarter of the time that reading the exact clock takes.
    package static func coarseNow() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
