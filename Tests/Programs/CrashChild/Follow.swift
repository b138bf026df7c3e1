import Regnum

/// Streams the messages of a room and prints a line for each element: "initial COUNT VERSION", or
/// "update VERSION DELETIONS INSERTIONS MODIFICATIONS COUNT ORIGINS", with the origins joined by
/// commas; "wrong" if the change set doesn't turn the old collection into the new one, or reports
/// the wrong modifications; "trimmed" at the end if the history is gone. With `isStepwise` it waits
/// for a line of standard input after each element.
///
/// Each change of a message must change its text.
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
    var mirror: [MirroredMessage] = []
    for try await change in changes {
        switch change {
        case .initial(let messages):
            mirror = messages.map { MirroredMessage($0) }
            printLine("initial \(messages.count) \(messages.version)")
        case .update(let messages, let delta):
            let now = messages.map { MirroredMessage($0) }
            if !MirroredMessage.apply(delta, to: &mirror, now) { printLine("wrong") }
            printLine(
                "update \(delta.version) \(delta.deletions.count) \(delta.insertions.count) "
                    + "\(delta.modifications.count) \(messages.count) "
                    + delta.origins.joined(separator: ","))
        }
        if isStepwise, StandardInput.readLine() == nil { return }
    }
}

/// The child's copy of a message.
private struct MirroredMessage: Hashable {
    var id: ObjectId
    var text: String

    init(_ message: Frozen<Message>) {
        id = message.messageID
        text = message.text
    }

    /// Whether a change set results in the new collection and reports exactly the modified
    /// messages.
    static func apply(
        _ delta: ChangeSet<Message>, to mirror: inout [MirroredMessage], _ now: [MirroredMessage]
    ) -> Bool {
        let old = mirror
        for position in delta.deletions.reversed() { mirror.remove(at: position) }
        for position in delta.insertions { mirror.insert(now[position], at: position) }
        let modified = zip(mirror.indices, zip(mirror, now)).filter { $1.0.text != $1.1.text }
        let isSame = mirror.map(\.id) == now.map(\.id)
        let isExact = modified.map(\.0) == delta.newModifications
        let keepsPlaces = zip(delta.modifications, delta.newModifications).allSatisfy {
            old[$0].id == now[$1].id
        }
        mirror = now
        return isSame && isExact && keepsPlaces
    }
}
