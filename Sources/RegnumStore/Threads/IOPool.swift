internal import Glibc

/// The threads on which the store waits for disks and locks, so that the cooperative pool of Swift's
/// concurrency never does. They are made when there is work for them, up to a limit, and end after a
/// second without any. Also runs jobs at a later time.
///
/// Guard of the `@unchecked Sendable`: `state` is touched only between `lock()` and `unlock()` of
/// the POSIX mutex, which a condition variable needs.
package final class IOPool: @unchecked Sendable {
    /// The pool of the process.
    package static let shared = IOPool(threadCountMax: 16)

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
        var blocked = 0  // threads that wait for something another process decides
    }

    private let threadCountMax: Int
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var state = State()
    private static let idleNanoseconds: UInt64 = 1_000_000_000

    package init(threadCountMax: Int) {
        self.threadCountMax = threadCountMax
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

    /// Runs `job` on a thread of the pool after the time has passed. Never blocks.
    package func schedule(afterNanoseconds delay: UInt64, _ job: @escaping Job) {
        let (sum, isOver) = Self.now().addingReportingOverflow(delay)
        let deadline = isOver ? UInt64(Int64.max) : min(sum, UInt64(Int64.max))
        lock()
        let index = state.timers.firstIndex { $0.deadline <= deadline } ?? state.timers.count
        state.timers.insert(Timer(deadline: deadline, job: job), at: index)
        let spawns = index == state.timers.count - 1 ? claimThread() : false
        unlock()
        if spawns { spawn() }
    }

    /// Runs `body`, which waits for another process, without counting its thread against the limit.
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
        return true
    }

    private func spawn() {
        let box = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<IOPool>.fromOpaque(argument).takeRetainedValue().work()
                return nil
            }, box.toOpaque())
        if result == 0 {
            pthread_detach(thread)
            return
        }
        box.release()
        lock()
        state.threads -= 1
        let isLast = state.threads == 0
        unlock()
        precondition(!isLast, "the system gives this process no thread (error \(result))")
    }

    private func work() {
        lock()
        while true {
            takeDueTimers()
            if state.firstJob < state.jobs.count {
                let job = state.jobs[state.firstJob]
                state.firstJob += 1
                if state.firstJob == state.jobs.count {
                    state.jobs.removeAll(keepingCapacity: true)
                    state.firstJob = 0
                }
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
                state.firstJob == state.jobs.count, state.timers.isEmpty || state.idle > 0
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
