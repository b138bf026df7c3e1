import Glibc
import Regnum
import RegnumTestSupport

/// One realm, two senders and three tails, of which four processes are killed repeatedly. The third
/// tail never is.
///
/// What must hold: every acknowledged id is in the realm once. Besides these the realm has at most
/// one message for each killed sender, the one between its commit and its acknowledgment. A
/// sender's messages are in the order in which it sent them. What a tail printed is a prefix of the
/// realm's messages, or all of them if it wasn't killed. No process exits unless it was killed.
final class KillRound {
    private struct Role {
        let isSender: Bool
        let start: () throws -> ChildProcess
        var child: ChildProcess
        /// Earlier processes of this role, all killed.
        var killed: [ChildProcess] = []
        /// The number of lines that the process had printed when the senders were last fed; at
        /// least one more will come.
        var lineCount = 0
    }

    private let group: ChildGroup
    private var random: SeededRandom
    private var roles: [Role] = []
    private let witness: ChildProcess
    private var report = KillReport()

    init(_ group: ChildGroup, _ seed: UInt64) throws {
        self.group = group
        random = SeededRandom(seed)
        witness = try group.start("tail", "general", "-")
        for name in ["ann", "bob"] {
            let start = { try group.start("send", "general", name, "-") }
            roles.append(Role(isSender: true, start: start, child: try start()))
        }
        for _ in 0..<2 {
            let start = { try group.start("tail", "general", "-") }
            roles.append(Role(isSender: false, start: start, child: try start()))
        }
    }

    func run(kills: Int) async throws -> KillReport {
        for kill in 0..<kills {
            try feedSenders(kill)
            try await killOne()
            group.forgetEnded()
            try requireAllRunning()
        }
        try feedSenders(kills)
        try await finish()
        return report
    }

    /// Gives each sender some messages to send: more than it can send before the next kill, or
    /// fewer.
    private func feedSenders(_ kill: Int) throws {
        for index in roles.indices { roles[index].lineCount = roles[index].child.lineCount }
        for role in roles where role.isSender {
            let count = Int.random(in: 1...60, using: &random)
            try role.child.type((0..<count).map { "\(kill) \($0)" })
        }
    }

    private func killOne() async throws {
        let index = Int.random(in: 0..<roles.count, using: &random)
        let victim = roles[index].child
        // Either right after its start, or after a line caused by the last messages.
        if !Bool.random(using: &random) { _ = try await victim.lines(roles[index].lineCount + 1) }
        let nanoseconds = Int.random(in: 0...30_000_000, using: &random)
        try await Task.sleep(for: .nanoseconds(nanoseconds), tolerance: .zero)
        try require(victim.isRunning, "exited unexpectedly: \(victim.description)")
        victim.signal(SIGKILL)
        let ending = try await victim.end()
        try require(ending == .killed(signal: SIGKILL), "not killed: \(victim.description)")
        try require(victim.partialLine.isEmpty, "part of a line: \(victim.partialLine)")

        report.kills += 1
        if roles[index].isSender { report.senderKills += 1 } else { report.tailKills += 1 }
        if victim.lineCount == 0 { report.earlyKills += 1 }
        roles[index].killed.append(victim)
        roles[index].child = try roles[index].start()
    }

    private func requireAllRunning() throws {
        for child in roles.map(\.child) + [witness] {
            try require(child.isRunning, "exited unexpectedly: \(child.description)")
        }
    }

    private func finish() async throws {
        for role in roles where role.isSender {
            role.child.closeInput()
            try await role.child.expectSuccess()
        }
        let messages = try await readMessages()
        let tails = roles.filter { !$0.isSender }
        for tail in tails.map(\.child) + [witness] {
            _ = try await tail.lines(messages.count)
            tail.signal(SIGTERM)
            try await tail.expectSuccess()
        }

        let ids = messages.map(\.id)
        let senders = roles.filter(\.isSender).flatMap { $0.killed + [$0.child] }
        let acknowledged = senders.flatMap(\.lines)
        try checkMessages(messages, acknowledged)
        for sender in senders { try checkOrder(of: sender.lines, in: ids) }
        for tail in tails.map(\.child) + [witness] {
            try require(tail.lines == ids, "wrong order or number: \(tail.description)")
        }
        for tail in tails.flatMap(\.killed) {
            try require(
                ids.starts(with: tail.lines), "not a prefix of the realm: \(tail.description)")
        }
        report.messages = ids.count
        report.acknowledged = acknowledged.count
        report.printed = (tails.flatMap { $0.killed + [$0.child] } + [witness])
            .reduce(0) { $0 + $1.lineCount }
        try require(try await readMessages().map(\.id) == ids, "different content after reopening")
    }

    private func checkMessages(
        _ messages: [(id: String, author: String, text: String)], _ acknowledged: [String]
    ) throws {
        let ids = Set(messages.map(\.id))
        try require(ids.count == messages.count, "a message exists twice")
        try require(Set(acknowledged).count == acknowledged.count, "an id was printed twice")
        let lost = acknowledged.filter { !ids.contains($0) }
        try require(lost.isEmpty, "acknowledged and lost: \(lost)")
        let surplus = ids.count - acknowledged.count
        try require(
            surplus <= report.senderKills,
            "\(surplus) messages without acknowledgement, \(report.senderKills) killed senders")
        // Each sender sends "kill number" with increasing pairs.
        for name in ["ann", "bob"] {
            let sent = messages.filter { $0.author == name }
                .map { $0.text.split(separator: " ").compactMap { Int($0) } }
            let isRising = zip(sent, sent.dropFirst()).allSatisfy { earlier, later in
                earlier.lexicographicallyPrecedes(later)
            }
            try require(isRising, "messages of \(name) are repeated or out of order")
        }
    }

    /// Checks that `lines` are a part of `ids`, in the same order.
    private func checkOrder(of lines: [String], in ids: [String]) throws {
        let set = Set(lines)
        try require(ids.filter(set.contains) == lines, "a sender's messages are out of order")
    }

    private func readMessages() async throws -> [(id: String, author: String, text: String)] {
        let realm = try await Realm.test(group.realm)
        let messages = realm.snapshot().objects(Message.self).map { message in
            (id: "\(message.messageID)", author: message.author, text: message.text)
        }
        await realm.close()
        return messages
    }
}
