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
    var stream = messages.changes(policy: policies[policy] ?? .coalesce).makeAsyncIterator()
    var isFirst = true
    do {
        while true {
            if isStepwise, !isFirst, StandardInput.readLine() == nil { break }
            isFirst = false
            guard let change = try await stream.next() else { break }
            switch change {
            case .initial(let messages):
                printLine("initial \(messages.count) \(messages.version)")
            case .update(let messages, let delta):
                printLine(
                    "update \(delta.version) \(delta.deletions.count) \(delta.insertions.count) "
                        + "\(delta.modifications.count) \(messages.count) "
                        + delta.origins.joined(separator: ","))
            }
        }
    } catch Realm.Error.Code.historyTrimmed {
        printLine("trimmed")
    }
    await realm.close()
}
