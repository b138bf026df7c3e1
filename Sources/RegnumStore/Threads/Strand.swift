/// A serial executor that runs its jobs one after the other on the threads of a pool.
///
/// Actors can use it as their custom executor.
package final class Strand: SerialExecutor {
    private struct State: Sendable {
        var jobs: [UnownedJob] = []
        var isRunning = false
    }

    private let pool: IOPool
    private let state = Guarded(State())

    package init(_ pool: IOPool) { self.pool = pool }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let starts = state.withLock { state in
            state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { pool.submit { self.drain() } }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    private func drain() {
        while true {
            let jobs = state.withLock { state in
                defer { state.jobs = [] }
                if state.jobs.isEmpty { state.isRunning = false }
                return state.jobs
            }
            if jobs.isEmpty { return }
            for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
        }
    }
}
