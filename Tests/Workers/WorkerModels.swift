import Foundation
import Regnum
import RegnumTestSupport
import RegnumWorkers
import Synchronization
import Testing

@testable import RegnumTestModels

/// A job of the tests.
final class Parcel: Job {
    @Persisted var label: String
}

/// An object whose changes are consumed.
final class Memo: Object {
    @Persisted var text: String
}

/// What a handler has written.
final class Receipt: Object {
    @Persisted var text: String
}

struct Failure: Error, Equatable {
    var reason = "no"
}

let workerTypes: [ObjectBase.Type] =
    [Parcel.self, Memo.self, Receipt.self] + Workers.models

extension Parcel {
    convenience init(_ label: String) {
        self.init()
        self.label = label
    }
}

extension Memo {
    convenience init(_ text: String) {
        self.init()
        self.text = text
    }
}

extension Receipt {
    convenience init(_ text: String) {
        self.init()
        self.text = text
    }
}

/// Waits until the current objects of a live query satisfy a condition.
func wait<Model: ObjectBase>(
    for results: LiveResults<Model>, until isReached: (FrozenResults<Model>) -> Bool
) async throws {
    for try await change in results.changes where isReached(change.collection) { return }
}

/// What handlers report to a test.
final class Journal: Sendable {
    private struct State {
        var entries: [String] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        /// Whether entries were awaited in vain, so that a test that has failed doesn't wait again.
        var isOverdue = false
    }

    private let state = Mutex(State())

    var entries: [String] { state.withLock { $0.entries } }

    func add(_ entry: String) {
        let due = state.withLock { state in
            state.entries.append(entry)
            let count = state.entries.count
            let due = state.waiters.filter { $0.count <= count }.map(\.continuation)
            state.waiters.removeAll { $0.count <= count }
            return due
        }
        for waiter in due { waiter.resume() }
    }

    /// Waits until there are so many entries, and returns them. Records an issue if that takes more
    /// than five minutes.
    @discardableResult
    func entries(
        _ count: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) async -> [String] {
        let limit = Task {
            try await Task.sleep(for: .seconds(300))
            giveUp()
        }
        await withCheckedContinuation { continuation in
            let isWaiting = state.withLock { state in
                if state.entries.count >= count || state.isOverdue { return false }
                state.waiters.append((count, continuation))
                return true
            }
            if !isWaiting { continuation.resume() }
        }
        limit.cancel()
        let entries = entries
        if entries.count < count {
            Issue.record(
                "There are only \(entries.count) of \(count) entries.",
                sourceLocation: sourceLocation)
        }
        return entries
    }

    /// Ends all waits.
    private func giveUp() {
        let waiters = state.withLock { state in
            state.isOverdue = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume() }
    }
}

/// Keeps handlers waiting until a test opens it.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Waits until the gate is open, even if the task is cancelled.
    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}

/// Waits until the task is cancelled, and throws `CancellationError`.
func waitForCancellation() async throws {
    try await Task.sleep(for: .seconds(3_600))
}
