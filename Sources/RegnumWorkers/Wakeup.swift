internal import Regnum
import Synchronization

/// A flag that any task can set, and for which tasks wait.
package final class Wakeup: Sendable {
    private struct State {
        var isSet = false
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextID: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    var isSet: Bool { state.withLock { $0.isSet } }

    /// Sets the flag, which ends the waits.
    package func set() {
        let waiters = state.withLock { state in
            state.isSet = true
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }

    /// Clears the flag. What is set from now on ends the next wait.
    func clear() {
        state.withLock { $0.isSet = false }
    }

    /// Waits until the flag is set, but not longer than a duration. Returns at once if the flag is
    /// already set or the task is cancelled.
    func wait(for duration: Duration, clock: any Clock<Duration>) async {
        // what is about to set the flag comes first: a timer costs more than many jobs
        await Task.yield()
        if Task.isCancelled || isSet { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait() }
            group.addTask { try? await clock.sleep(for: duration) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Waits until the flag is set or the task is cancelled.
    func wait() async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // within the lock, because the handler may have run before
                    if state.isSet || Task.isCancelled { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.resume()
        }
    }
}

extension Realm {
    /// Sets a flag for each commit, in any process, that changes objects of some classes, until the
    /// task is cancelled. Throws when the realm is closed.
    nonisolated func watch(_ classNames: Set<String>, setting wakeup: Wakeup) async throws {
        while !Task.isCancelled {
            let error = await failure(of: { try await watchCommits(classNames, wakeup) })
            if let error, !isHistoryUnavailable(error) { throw error }
            if isClosed { throw closedError }
        }
    }

    private nonisolated func watchCommits(
        _ classNames: Set<String>, _ wakeup: Wakeup
    ) async throws {
        var commits = self.commits.makeAsyncIterator()
        // for what was committed before
        wakeup.set()
        while let commit = try await commits.next() {
            if !classNames.isDisjoint(with: commit.classNames) { wakeup.set() }
        }
    }
}
