internal import CLibuv
internal import Glibc
internal import RegnumStore

/// A socket at which other processes ask this one for its state (`ProcessSocket`).
final class AnswerSocket: LoopHandle {
    private let descriptor: Int32
    private let serve: @Sendable (Int32) -> Void

    /// Throws if the process has too few descriptors, or may not have such a socket.
    init(
        loop: UnsafeMutablePointer<uv_loop_t>, subject: String,
        serve: @escaping @Sendable (Int32) -> Void
    ) throws(WatchError) {
        descriptor = ProcessSocket.listen(subject)
        self.serve = serve
        super.init(of: uv_poll_t.self)
        guard descriptor >= 0 else { throw WatchError(status: descriptor) }
        let poll = memory.assumingMemoryBound(to: uv_poll_t.self)
        var status = uv_poll_init(loop, poll, descriptor)
        // The loop doesn't know the handle yet, so there is nothing to close.
        guard status == 0 else { throw WatchError(status: status) }
        adopt()
        status = uv_poll_start(poll, CInt(UV_READABLE.rawValue)) { poll, _, _ in
            (LoopHandle.owner(of: poll) as? AnswerSocket)?.acceptConnections()
        }
        guard status == 0 else {
            close()
            throw WatchError(status: status)
        }
    }

    deinit { if descriptor >= 0 { _ = Glibc.close(descriptor) } }

    private func acceptConnections() {
        // The loop calls again for more of them.
        for _ in 0..<8 {
            guard let connection = ProcessSocket.accept(descriptor) else { return }
            serve(connection)
        }
    }
}
