internal import Glibc

/// A thread for work that can take as long as a realm is open, which would keep a thread of a pool
/// from its jobs.
package enum OwnThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a new thread. Never blocks.
    ///
    /// Throws `ioFailed` if no thread can be created.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(StoreError) {
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        if result == 0 {
            pthread_detach(thread)
            return
        }
        work.release()
        throw StoreError(
            .ioFailed,
            "Cannot create a thread (\(String(cString: strerror(result)))). Raise the thread limit "
                + "of this process.", errno: result)
    }
}
