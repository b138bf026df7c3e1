import Regnum

/// Streams the messages of a room and prints a line for each element: "initial COUNT VERSION", or
/// "update VERSION DELETIONS INSERTIONS MODIFICATIONS COUNT ORIGINS", with the origins joined by
/// commas; "trimmed" at the end if the history is gone. With `isStepwise` it waits for a line of
/// standard input before each element.
func follow(_ path: String, _ room: String, _ policy: String, isStepwise: Bool) async throws {
    if !isStepwise { StandardInput.exitAtEnd() }
    let realm = try await Realm.child(path)
    let policies: [String: ChangePolicy] = [
        "coalesce": .coalesce, "everyCommit": .everyCommit, "newest": .newest,
    ]
    let messages = realm.objects(Message.self).where { $0.room == room }
    let changes = messages.changes(policy: policies[policy] ?? .coalesce)
    do {
        try await printChanges(changes, isStepwise: isStepwise)
    } catch let error as Realm.Error where error.code == .historyTrimmed {
        printLine("trimmed")
    }
    await realm.close()
}

private func printChanges(
    _ changes: CollectionChanges<Message>, isStepwise: Bool
) async throws {
    for try await change in changes {
        switch change {
        case .initial(let messages):
            printLine("initial \(messages.count) \(messages.version)")
        case .update(let messages, let delta):
            printLine(
                "update \(delta.version) \(delta.deletions.count) \(delta.insertions.count) "
                    + "\(delta.modifications.count) \(messages.count) "
                    + delta.origins.joined(separator: ","))
        }
        if isStepwise, StandardInput.readLine() == nil { return }
    }
}
