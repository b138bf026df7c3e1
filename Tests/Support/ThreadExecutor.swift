import Dispatch

/// Runs tasks one after the other outside the cooperative pool, so that a task that blocks doesn't
/// take one of the pool's few threads, and doesn't need one.
package final class ThreadExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "thread-executor")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
