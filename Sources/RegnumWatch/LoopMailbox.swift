internal import CLibuv

/// What the loop thread is asked to do.
enum LoopCommand: Sendable {
    case watch(
        id: UInt64, path: String, fileName: String, hint: @Sendable () -> Void,
        reply: CheckedContinuation<WatchError?, Never>)
    case timer(id: UInt64, intervalMilliseconds: UInt64, fire: @Sendable () -> Void)
    case cancel(id: UInt64)
    case synchronize(CheckedContinuation<Void, Never>)
    case stop
}

/// The way into the loop thread, from any other: a queue of commands and the wake-up handle.
final class LoopMailbox: Sendable {
    private struct State {
        var commands: [LoopCommand] = []
        /// Set together with the entry of `.stop`, which therefore is the last command.
        var isClosed = false
        var nextID: UInt64 = 0
    }

    private let state = Guarded(State())
    // Guard: the lock of `state`. The loop's handle is sent to only under it and before `isClosed`;
    // the loop thread frees it only after it took `.stop`, hence after the last send.
    nonisolated(unsafe) private let wakeUp: UnsafeMutablePointer<uv_async_t>

    init(wakeUp: UnsafeMutablePointer<uv_async_t>) {
        self.wakeUp = wakeUp
    }

    /// A number for a new watch or timer, unique in this loop.
    func makeID() -> UInt64 {
        state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
    }

    /// Appends a command and wakes the loop. False, and nothing done, once the loop is stopping.
    func post(_ command: LoopCommand) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            if case .stop = command { state.isClosed = true }
            state.commands.append(command)
            uv_async_send(wakeUp)
            return true
        }
    }

    /// Takes all commands, in order of their entry. Only the loop thread calls it.
    func takeAll() -> [LoopCommand] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }
}
