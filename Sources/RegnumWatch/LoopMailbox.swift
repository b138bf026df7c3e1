internal import CLibuv
internal import RegnumStore

/// A request to the loop thread.
enum LoopCommand: Sendable {
    case watch(
        id: UInt64, path: String, fileName: String, hint: @Sendable () -> Void,
        reply: CheckedContinuation<WatchError?, Never>)
    case timer(id: UInt64, intervalMilliseconds: UInt64, fire: @Sendable () -> Void)
    case answer(
        id: UInt64, subject: String, serve: @Sendable (Int32) -> Void,
        didFail: @Sendable () -> Void)
    case cancel(id: UInt64)
    case synchronize(CheckedContinuation<Void, Never>)
    case stop
}

/// The command queue through which other threads reach the loop thread, and its wake-up handle.
final class LoopMailbox: Sendable {
    private struct State {
        var commands: [LoopCommand] = []
        /// Set when `.stop` is enqueued, which is therefore the last command.
        var isClosed = false
        var nextID: UInt64 = 0
    }

    private let state = Guarded(State())
    // Guard: the lock of `state`. `uv_async_send` is called on it only under that lock and before
    // `isClosed`; the loop thread frees it only after dequeuing `.stop`, hence after the last send.
    nonisolated(unsafe) private let wakeUp: UnsafeMutablePointer<uv_async_t>

    init(wakeUp: UnsafeMutablePointer<uv_async_t>) {
        self.wakeUp = wakeUp
    }

    /// Returns an id for a new watch or timer, unique in this loop.
    func makeID() -> UInt64 {
        state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
    }

    /// Enqueues a command and wakes the loop. Returns false without doing so if the loop is
    /// stopping.
    func post(_ command: LoopCommand) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            if case .stop = command { state.isClosed = true }
            state.commands.append(command)
            uv_async_send(wakeUp)
            return true
        }
    }

    /// Dequeues all commands in order. Called only by the loop thread.
    func takeAll() -> [LoopCommand] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }
}
