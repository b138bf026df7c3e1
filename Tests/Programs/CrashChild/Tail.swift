import Regnum

/// Streams until `count` messages were printed; if `nil`, until the signal.
func tail(
    _ path: String, _ room: String, count: Int?, _ terminationSignal: TerminationSignal
) async throws {
    StandardInput.exitAtEnd()
    let realm = try await Realm.child(path)
    let stream = terminationSignal.task {
        try await printMessages(realm, room, count: count ?? .max)
    }
    try await stream.value
    await realm.close()
}

private func printMessages(_ realm: Realm, _ room: String, count: Int) async throws {
    var rest = count
    for try await change in realm.objects(Message.self).where({ $0.room == room }).changes {
        let ids: [String]
        switch change {
        case .initial(let messages):
            ids = messages.map { "\($0.messageID)" }
        case .update(_, let delta):
            ids = delta.inserted.map { "\($0.messageID)" }
            // Nobody edits or deletes here: anything but an insertion invalidates the journal.
            if !delta.deletions.isEmpty || !delta.modifications.isEmpty {
                printLine("\(delta.deletions.count) deletions, \(delta.modifications.count) edits")
            }
        }
        printLines(ids.prefix(rest))
        rest -= min(rest, ids.count)
        if rest == 0 { return }
    }
}
