import Dispatch
import Glibc
import Regnum

/// SIGTERM as something that a task can be ended by.
struct TerminationSignal: Sendable {
    private var signals: sigset_t

    /// Blocks the signal in the calling thread and those that it starts.
    init() {
        signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Calls `action` when the signal comes.
    func wait(_ action: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "termination signal").async {
            var signals = signals
            var number: Int32 = 0
            while sigwait(&signals, &number) != 0 {}
            action()
        }
    }
}

/// Streams until `count` messages were printed; nil: until the signal.
func tail(
    _ path: String, _ room: String, count: Int?, _ terminationSignal: TerminationSignal
) async throws {
    StandardInput.exitAtEnd()
    let realm = try await Realm.child(path)
    let stream = Task { try await printMessages(realm, room, count: count ?? .max) }
    terminationSignal.wait { stream.cancel() }
    try await stream.value
    await realm.close()
}

private func printMessages(_ realm: Realm, _ room: String, count: Int) async throws {
    var rest = count
    for try await change in realm.objects(Message.self).where({ $0.room == room }).changes {
        let ids: [String]
        switch change {
        case .initial(let messages):
            ids = messages.map { "\($0.id)" }
        case .update(_, let delta):
            ids = delta.inserted.map { "\($0.id)" }
            // Nobody edits or deletes here: whatever is not an insertion spoils the journal.
            if !delta.deletions.isEmpty || !delta.modifications.isEmpty {
                printLine("\(delta.deletions.count) deletions, \(delta.modifications.count) edits")
            }
        }
        printLines(ids.prefix(rest))
        rest -= min(rest, ids.count)
        if rest == 0 { return }
    }
}
