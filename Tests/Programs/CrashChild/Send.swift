import Regnum

/// An author and the room to which they send.
struct Sender {
    let room: String
    let name: String

    /// Commits one message and prints its id once it is durable.
    func send(_ text: String, to realm: Realm) async throws {
        while true {
            do {
                let id = try await realm.write { tx in
                    try tx.post(room: room, author: name, text: text)
                }
                printLine("\(id)")
                return
            } catch Realm.Error.Code.busy {
                printLine("busy")
            }
        }
    }
}

func send(
    _ path: String, _ sender: Sender, _ count: String, writeTimeout: Duration?
) async throws {
    let realm = try await Realm.child(path, writeTimeout: writeTimeout)
    if let count = Int(count) {
        StandardInput.exitAtEnd()
        for number in 0..<count { try await sender.send("\(sender.name) \(number)", to: realm) }
    } else {
        for await line in StandardInput.lines() { try await sender.send(line, to: realm) }
    }
    await realm.close()
}

func visit(_ path: String, _ sender: Sender, count: Int) async throws {
    StandardInput.exitAtEnd()
    for number in 0..<count {
        let realm = try await Realm.child(path)
        try await sender.send("\(sender.name) \(number)", to: realm)
        await realm.close()
    }
}

func stopInWrite(_ path: String) async throws {
    StandardInput.exitAtEnd()
    let realm = try await Realm.child(path)
    try await realm.write { tx in
        _ = try tx.post(room: "nowhere", author: "nobody", text: "never committed")
        printLine("in write")
        while true {}
    }
}

func holdInWrite(_ path: String, _ sender: Sender) async throws {
    struct DriverIsGone: Error {}
    let realm = try await Realm.child(path)
    let id = try await realm.write { tx in
        printLine("in write")
        guard let text = StandardInput.readLine() else { throw DriverIsGone() }
        return try tx.post(room: sender.room, author: sender.name, text: text)
    }
    printLine("\(id)")
    await realm.close()
}
