internal import CLibuv
internal import Glibc
internal import RegnumStore

/// One run of the loop, from the start of its thread to its end. `WatchLoop` creates a new one
/// after a stop.
final class LoopThread: Sendable {
    let mailbox: LoopMailbox
    /// The thread, until it is joined or detached.
    private let thread: Guarded<pthread_t?>

    /// Sets up the loop and starts its thread. Throws `.limit` if the process has run out of
    /// descriptors, memory or threads.
    init(name: String) throws(WatchError) {
        let body = try LoopBody(name: name)
        mailbox = body.mailbox
        let argument = Unmanaged.passRetained(body)
        var id = pthread_t()
        let status = pthread_create(
            &id, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<LoopBody>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, argument.toOpaque())
        guard status == 0 else {
            argument.takeRetainedValue().discard()
            throw WatchError(status: -status)
        }
        thread = Guarded(id)
    }

    /// Closes all handles and waits for the thread to end.
    func stop() {
        _ = mailbox.post(.stop)
        guard let id = takeThread() else { return }
        guard pthread_equal(id, pthread_self()) == 0 else {
            fatalError(
                "WatchLoop.stop() called from a hint: the loop thread cannot join itself")
        }
        pthread_join(id, nil)
    }

    /// Closes all handles and lets the thread end on its own.
    func abandon() {
        _ = mailbox.post(.stop)
        if let id = takeThread() { pthread_detach(id) }
    }

    private func takeThread() -> pthread_t? {
        thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
    }
}

/// The state of the loop thread. It is created before the thread; from then on only that thread
/// accesses it, and only that thread calls libuv (except for `uv_async_send` in the mailbox).
private final class LoopBody {
    let mailbox: LoopMailbox
    private let name: String
    private let loop: UnsafeMutablePointer<uv_loop_t>
    private let wakeUp: UnsafeMutablePointer<uv_async_t>
    private var handles: [UInt64: LoopHandle] = [:]

    init(name: String) throws(WatchError) {
        self.name = name
        try SpareDescriptors.check()
        let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
        let wakeUp = UnsafeMutablePointer<uv_async_t>.allocate(capacity: 1)
        let status = SpareDescriptors.avoidingStandardStreams { () -> CInt in
            var status = uv_loop_init(loop)
            guard status == 0 else { return status }
            status = uv_async_init(loop, wakeUp) { handle in
                guard let handle, let data = handle.pointee.loop.pointee.data else { return }
                Unmanaged<LoopBody>.fromOpaque(data).takeUnretainedValue().processCommands()
            }
            if status != 0 { uv_loop_close(loop) }
            return status
        }
        guard status == 0 else {
            wakeUp.deallocate()
            loop.deallocate()
            throw WatchError(status: status)
        }
        self.loop = loop
        self.wakeUp = wakeUp
        mailbox = LoopMailbox(wakeUp: wakeUp)
        loop.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    }

    /// Runs the loop on the thread until `.stop` has closed the last handle.
    func run() {
        var all = sigset_t()
        sigfillset(&all)
        // Signals belong to the application, so its handlers don't run on this thread.
        pthread_sigmask(SIG_BLOCK, &all, nil)
        clibuv_name_thread(name)
        uv_run(loop, UV_RUN_DEFAULT)
        release()
    }

    /// Undoes `init` if the thread couldn't be created.
    func discard() {
        close()
        uv_run(loop, UV_RUN_DEFAULT)
        release()
    }

    private func release() {
        let status = uv_loop_close(loop)
        precondition(status == 0, "the watch loop ended with open handles")
        wakeUp.deallocate()
        loop.deallocate()
    }

    private func close() {
        for handle in handles.values { handle.close() }
        handles = [:]
        UnsafeMutableRawPointer(wakeUp).withMemoryRebound(to: uv_handle_t.self, capacity: 1) {
            uv_close($0, nil)
        }
    }

    private func processCommands() {
        for command in mailbox.takeAll() {
            switch command {
            case .watch(let id, let path, let fileName, let hint, let reply):
                reply.resume(returning: watch(id, path, fileName, hint))
            case .timer(let id, let intervalMilliseconds, let fire):
                handles[id] = IntervalTimer(
                    loop: loop, intervalMilliseconds: intervalMilliseconds, fire: fire)
            case .answer(let id, let subject, let serve, let didFail):
                handles[id] = answerSocket(subject, serve)
                if handles[id] == nil { didFail() }
            case .cancel(let id): handles.removeValue(forKey: id)?.close()
            case .synchronize(let reply): reply.resume()
            case .stop: close()
            }
        }
    }

    private func answerSocket(
        _ subject: String, _ serve: @escaping @Sendable (Int32) -> Void
    ) -> AnswerSocket? {
        try? SpareDescriptors.avoidingStandardStreams { () throws(WatchError) -> AnswerSocket in
            try AnswerSocket(loop: loop, subject: subject, serve: serve)
        }
    }

    private func watch(
        _ id: UInt64, _ path: String, _ fileName: String, _ hint: @escaping @Sendable () -> Void
    ) -> WatchError? {
        if isOnNetworkFileSystem(path) {
            return WatchError(reason: .networkFileSystem, path: path)
        }
        do throws(WatchError) {
            // The first watch opens a descriptor.
            handles[id] = try SpareDescriptors.avoidingStandardStreams {
                () throws(WatchError) -> DirectoryWatch in
                try DirectoryWatch(loop: loop, path: path, fileName: fileName, hint: hint)
            }
            return nil
        } catch {
            return error
        }
    }
}
