import Dispatch
import Regnum
import RegnumStore
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Writes on a thread of its own, for code that can't suspend and waits for the write.
private final class PromptWriter: Sendable {
    private struct State {
        var left = 0
        var count = 0
    }

    private let thread = ThreadExecutor()
    private let state = Guarded(State())

    /// The number of writes so far.
    var count: Int { state.withLock { $0.count } }

    /// Sets the number of writes that are still made.
    func allow(_ count: Int) { state.withLock { $0.left = count } }

    /// Changes line 4, unless the allowed number of writes has been made.
    func write(_ realm: Realm) {
        let isAllowed = state.withLock { state in
            guard state.left > 0 else { return false }
            state.left -= 1
            state.count += 1
            return true
        }
        guard isAllowed else { return }
        let done = DispatchSemaphore(value: 0)
        _ = Task(executorPreference: thread) {
            defer { done.signal() }
            try await realm.write { tx in try tx.line(4).text += "!" }
        }
        done.wait()
    }
}

/// Waits for an element of one section while others change.
@Suite struct SectionWaitTests {
    /// Another commit is there whenever the stream has examined the last one.
    // Covers O47, O49
    @Test(.timeLimit(.minutes(8)))
    func changesOfOtherSectionsDoNotExtendTheWait() async throws {
        let realm = try await Log.realm()
        let writer = PromptWriter()
        let rooms = realm.objects(Log.Line.self).sectioned(sortDescriptors: [.ascending(\.id)]) {
            (line: Frozen<Log.Line>) -> String in
            if line.id == 4 { writer.write(realm) }
            return line.room
        }
        var stream = rooms.section(forKey: "a").changes.makeAsyncIterator()
        _ = try await stream.next()
        writer.allow(8)
        try await realm.write { tx in try tx.line(4).text = "changed" }
        guard case .timedOut = try await stream.next(within: .zero) else {
            Issue.record("no time-out")
            return
        }
        expectEqual(writer.count, 1)
        writer.allow(0)
        try await realm.write { tx in try tx.line(5).text = "baker" }
        guard case .update(let sections, let delta)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(sections.allKeys, ["b", "a", "c"])
        expectEqual(delta.modified.map(\.new.text), ["baker"])
    }
}
