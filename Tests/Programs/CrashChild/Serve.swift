import Glibc
import Regnum
import Synchronization

/// Serves the messages of rooms on a Unix domain socket until the signal. Prints "ready" once
/// clients can connect, and at the end the number of streams that are left and how often a client's
/// full buffer was waited for.
///
/// A client sends one line: a room and, separated by a space, the cursor to resume from, if any.
/// It gets the line "open" when its stream has begun, and one for each message: id, text and
/// cursor, separated by spaces. Of several messages in one element of the stream, only the last one
/// has the cursor: a client that got only some of them has to resume from the cursor before them.
/// The stream ends when the client disconnects, or with a line that begins with "error".
func serve(
    _ path: String, _ socketPath: String, _ terminationSignal: TerminationSignal
) async throws {
    StandardInput.exitAtEnd()
    try raiseDescriptorLimit()
    let realm = try await Realm.child(path)
    let server = RoomServer(realm)
    let listener = try LocalSocket(listeningAt: socketPath)
    let service = terminationSignal.task { try await server.run(listener) }
    printLine("ready")
    try await service.value
    printLine("\(realm.stats().streams) \(server.waitCount)")
    await realm.close()
}

/// Raises the number of files and sockets that the process can open as far as it may.
func raiseDescriptorLimit() throws {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { throw LocalSocket.Failure("getrlimit", errno) }
    limit.rlim_cur = limit.rlim_max
    guard setrlimit(resource, &limit) == 0 else { throw LocalSocket.Failure("setrlimit", errno) }
}

/// Writes change streams to the clients of a socket.
private final class RoomServer: Sendable {
    private let realm: Realm
    private let waits = Atomic(0)

    init(_ realm: Realm) {
        self.realm = realm
    }

    var waitCount: Int { waits.load(ordering: .relaxed) }

    /// Serves clients until the task is cancelled.
    func run(_ listener: LocalSocket) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            while !Task.isCancelled {
                if let client = try listener.accept() {
                    group.addTask { await self.serve(client) }
                } else {
                    await listener.wait(for: .reading)
                }
            }
        }
    }

    private func serve(_ client: LocalSocket) async {
        defer { client.close() }
        guard let request = await readLine(of: client) else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.waitForEnd(of: client) }
            group.addTask {
                do {
                    try await self.writeMessages(request, to: client)
                } catch {
                    _ = await self.send("error \(error)\n", to: client)
                }
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func readLine(of client: LocalSocket) async -> String? {
        var line: [UInt8] = []
        while !Task.isCancelled {
            if let bytes = client.read() {
                if bytes.isEmpty { return nil }
                line += bytes
                if line.last == UInt8(ascii: "\n") {
                    return String(decoding: line.dropLast(), as: UTF8.self)
                }
            } else {
                await client.wait(for: .reading)
            }
        }
        return nil
    }

    private func waitForEnd(of client: LocalSocket) async {
        while !Task.isCancelled {
            if let bytes = client.read() {
                if bytes.isEmpty { return }
            } else {
                await client.wait(for: .reading)
            }
        }
    }

    private struct WrongRequest: Error {}
    private struct UnexpectedChange: Error {}

    /// Writes until the client has disconnected or the task is cancelled.
    private func writeMessages(_ request: String, to client: LocalSocket) async throws {
        let fields = request.split(separator: " ").map(String.init)
        let cursor = fields.count == 2 ? ChangeCursor(fields[1]) : nil
        guard let room = fields.first, fields.count == (cursor == nil ? 1 : 2) else {
            throw WrongRequest()
        }
        let messages = realm.objects(Message.self).where { $0.room == room }
        var changes = messages.changes(since: cursor).makeAsyncIterator()
        guard await send("open\n", to: client) else { return }
        while let change = try await changes.next() {
            let isWritten: Bool
            switch change {
            case .initial(let messages):
                isWritten = await write(messages, change.cursor, to: client)
            case .update(_, let delta):
                guard delta.deletions.isEmpty, delta.modifications.isEmpty else {
                    throw UnexpectedChange()
                }
                isWritten = await write(delta.inserted, change.cursor, to: client)
            }
            if !isWritten { return }
        }
    }

    /// Writes the lines of an element, a few at a time. Returns whether the client is still there.
    private func write(
        _ messages: some Collection<Frozen<Message>> & Sendable, _ cursor: ChangeCursor,
        to client: LocalSocket
    ) async -> Bool {
        var lines = ""
        var restCount = messages.count
        for message in messages {
            restCount -= 1
            lines += "\(message.messageID) \(message.text)"
            lines += restCount == 0 ? " \(cursor)\n" : "\n"
            if restCount > 0, lines.utf8.count < 4_096 { continue }
            guard await send(lines, to: client) else { return false }
            lines = ""
        }
        return true
    }

    /// Sends text, as fast as the client reads. Returns whether the client is still there.
    private func send(_ text: String, to client: LocalSocket) async -> Bool {
        var rest = Array(text.utf8)[...]
        while true {
            guard !Task.isCancelled, let count = client.send(rest) else { return false }
            rest = rest.dropFirst(count)
            if rest.isEmpty { return true }
            waits.add(1, ordering: .relaxed)
            await client.wait(for: .writing)
        }
    }
}
