internal import CLibuv
internal import Glibc
internal import RegnumStore

/// A socket at which other processes ask this one for its state (`ProcessSocket`).
final class AnswerSocket: LoopHandle {
    private let loop: UnsafeMutablePointer<uv_loop_t>
    private let descriptor: Int32
    private let serve: @Sendable (Int32) -> Void
    /// Ends the pause after a failure.
    private var pause: IntervalTimer?

    /// Throws if the process has too few descriptors, or may not have such a socket.
    init(
        loop: UnsafeMutablePointer<uv_loop_t>, subject: String,
        serve: @escaping @Sendable (Int32) -> Void
    ) throws(WatchError) {
        self.loop = loop
        descriptor = ProcessSocket.listen(subject)
        self.serve = serve
        super.init(of: uv_poll_t.self)
        guard descriptor >= 0 else { throw WatchError(status: descriptor) }
        var status = uv_poll_init(loop, poll, descriptor)
        // The loop doesn't know the handle yet, so there is nothing to close.
        guard status == 0 else { throw WatchError(status: status) }
        adopt()
        status = startPolling()
        guard status == 0 else {
            close()
            throw WatchError(status: status)
        }
    }

    override func close() {
        pause?.close()
        pause = nil
        super.close()
    }

    deinit { if descriptor >= 0 { _ = Glibc.close(descriptor) } }

    private var poll: UnsafeMutablePointer<uv_poll_t> {
        memory.assumingMemoryBound(to: uv_poll_t.self)
    }

    private func startPolling() -> CInt {
        uv_poll_start(poll, CInt(UV_READABLE.rawValue)) { poll, _, _ in
            (LoopHandle.owner(of: poll) as? AnswerSocket)?.acceptConnections()
        }
    }

    private func acceptConnections() {
        // The loop calls again for more of them, also of those that are refused: other users must
        // not be able to hold up the watches.
        for _ in 0..<8 {
            switch ProcessSocket.accept(descriptor) {
            case .connection(let connection): serve(connection)
            case .refused: break
            case .none: return
            case .failed: return stopForAWhile()
            }
        }
    }

    /// Leaves the connections that are pending for a second. The loop would call again for them at
    /// once, and endlessly while the process has no descriptor left.
    private func stopForAWhile() {
        uv_poll_stop(poll)
        pause = IntervalTimer(loop: loop, intervalMilliseconds: 1_000) { [weak self] in
            guard let self else { return }
            pause?.close()
            pause = nil
            if startPolling() != 0 { close() }
        }
    }
}
