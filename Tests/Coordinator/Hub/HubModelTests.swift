import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Random commits, subscriptions and takes, interleaved in any order with their processing, against
/// a plain model.
@Suite(.timeLimit(.minutes(40)))
struct HubModelTests {
    // Covers O35
    @Test(arguments: [nil, 20_000, 600])
    func hubAgreesWithTheModel(maximumByteCount: Int?) throws {
        var random = SeededRandom("HubModelTests.hubAgreesWithTheModel(\(maximumByteCount ?? -1))")
        for _ in 0..<Effort.count(gate: 30, soak: 60) {
            var run = try HubRun(maximumByteCount: maximumByteCount)
            for _ in 0..<80 { try run.step(&random) }
            try run.end()
        }
    }

    @Test func hubAgreesWithTheModelForLong() throws {
        var random = SeededRandom("HubModelTests.hubAgreesWithTheModelForLong")
        for round in 0..<Effort.count(gate: 120, soak: 2_000) {
            var run = try HubRun(maximumByteCount: [nil, 20_000, 2_000, 600][round % 4])
            for _ in 0..<random.below(400) { try run.step(&random) }
            try run.end()
        }
    }

    @Test func valuesAreEqualAsInQueries() throws {
        let scores: [Double] = [-0.0, 0, 1, 1.5, .nan, .infinity, 0x1p63, -0x1p63]
        let operands: [Value] =
            scores.map { .double($0) } + [.int(0), .int(1), .int(.max), .int(.min), .null]
        let world = try HubFixture()
        let subscriptions = operands.map {
            world.subscribe(Interest([.value(tableName: "Message", column: "score", $0)]))
        }
        for score in scores {
            let base = world.head
            let commit = try world.commit { try $0.addMessage(room: nil, score: score) }
            for (operand, subscription) in zip(operands, subscriptions) {
                let isEqual = Comparison.equal.holds(.double(score), operand)
                let interest = Interest([.value(tableName: "Message", column: "score", operand)])
                expectTrue((subscription.take() != nil) == isEqual, "\(score) \(operand)")
                expectEqual(
                    interest.holds(for: commit.summary, from: base, to: commit.root), isEqual)
            }
        }
    }
}

/// One history of a hub and its model.
struct HubRun {
    private let world: HubFixture
    private var model = HubModel()
    private let isBounded: Bool
    private var subscriptions: [Int: (Subscription, SignalSlot)] = [:]
    private var nextID = 0
    private var schemaCount = 0

    init(maximumByteCount: Int?) throws {
        world = try HubFixture(maximumByteCount: maximumByteCount ?? .max)
        isBounded = maximumByteCount != nil
    }

    mutating func step(_ random: inout SeededRandom) throws {
        switch random.below(20) {
        case 0..<8: try publish(&random)
        case 8..<12: look()
        case 12..<15: try takeOne(&random)
        case 15..<17: subscribe(&random)
        case 17, 18: drop(&random)
        default: try random.oneIn(5) ? leap() : (random.oneIn(3) ? move() : publish(&random))
        }
        try check()
    }

    /// Every subscriber takes everything, and nothing is left.
    mutating func end() throws {
        look()
        for id in subscriptions.keys.sorted() { try take(id) }
        let statistics = world.hub.statistics
        try require(statistics.summaries == 0 && statistics.roots == 0, "something is left")
        try require(statistics.summaryByteCount == 0, "bytes are left")
        subscriptions = [:]
        try require(world.hub.isIdle, "the hub is not idle")
    }

    private func require(_ isTrue: Bool, _ text: @autoclosure () -> String) throws {
        if !isTrue { throw TestFailure(text()) }
    }

    /// Checks the invariants that hold after every step.
    private func check() throws {
        let statistics = world.hub.statistics
        try require(world.hub.counters.signals.value == model.signalCount, "signals")
        let pending = model.subscribers.values.filter { $0.since != nil && !$0.isGone }
        if !pending.contains(where: { $0.buffering != .nothing }) {
            try require(statistics.summaries == 0, "summaries without subscribers")
        }
        if isBounded {
            try require(statistics.roots <= model.heldVersions.count, "roots without subscribers")
        } else {
            try require(statistics.roots == model.heldVersions.count, "roots")
        }
        for (id, (_, slot)) in subscriptions {
            guard let subscriber = model.subscribers[id] else { continue }
            let isDue = subscriber.since != nil || subscriber.mustMove
            try require(slot.isSignalled || !isDue, "\(id) is not signalled")
        }
    }

    // MARK: Steps

    private mutating func look() {
        world.hub.process()
        model.look()
    }

    private mutating func publish(_ random: inout SeededRandom) throws {
        let origin = random.oneIn(3) ? nil : "o\(random.below(5))"
        let old = world.head
        if random.oneIn(40) { schemaCount += 1 }
        let schemaCount = schemaCount
        let isSchemaChange = old.schema.version < UInt64(schemaCount)
        let commit = try world.publish(origin: origin) { tx in
            if isSchemaChange {
                tx.setSchemaVersion(UInt64(schemaCount))
                let column = ColumnDefinition(name: "new\(schemaCount)", type: .int)
                _ = try tx.addColumn(ChatFixture.person, column)
            }
            for _ in 0...random.below(3) { try tx.changeSomething(&random) }
        }
        model.publish(HubModel.Step(summary: commit.summary, old: old, new: commit.root))
    }

    private mutating func leap() throws {
        look()
        let old = world.head
        try world.leap { tx in
            try tx.addMessage(room: 1)
        }
        let summary = CommitSummary(version: world.head.version, origin: nil, tables: [:])
        model.publish(HubModel.Step(summary: summary, old: old, new: world.head, isGap: true))
        look()
    }

    private mutating func move() throws {
        look()
        try world.move()
        look()
        model.move()
    }

    private mutating func subscribe(_ random: inout SeededRandom) {
        guard subscriptions.count < 12 else { return }
        if subscriptions.isEmpty { model.look() }  // processes commits without subscribers
        let interestAt = Interest.randomAtEachVersion(&random)
        let buffering = [BufferingPolicy.merged, .merged, .commits, .versions, .nothing][
            random.below(5)]
        let subscription = world.hub.subscribe(buffering, interestAt)
        nextID += 1
        subscriptions[nextID] = (subscription, subscription.attach())
        model.subscribers[nextID] = HubModel.Subscriber(
            buffering: buffering, interestAt: interestAt, interest: interestAt(world.head),
            position: world.head.version)
    }

    private mutating func drop(_ random: inout SeededRandom) {
        guard let id = randomID(&random) else { return }
        if random.oneIn(2) { subscriptions[id]?.0.cancel() }
        subscriptions[id] = nil
        model.subscribers[id] = nil
    }

    private func randomID(_ random: inout SeededRandom) -> Int? {
        let ids = subscriptions.keys.sorted()
        return ids.isEmpty ? nil : ids[random.below(ids.count)]
    }

    private mutating func takeOne(_ random: inout SeededRandom) throws {
        guard let id = randomID(&random) else { return }
        // the model doesn't know which commits were dropped
        try take(id, maximumCount: isBounded || random.oneIn(2) ? .max : 1 + random.below(3))
    }

    private mutating func take(_ id: Int, maximumCount: Int = .max) throws {
        guard let (subscription, slot) = subscriptions[id] else { return }
        let pending = subscription.take(maximumCount: maximumCount)
        let expected = model.take(id, maximumCount: maximumCount)
        try require((pending == nil) == (expected == nil), "\(id) takes \(pending != nil)")
        guard let pending, let (subscriber, steps) = expected else { return }
        // Its signal is consumed.
        slot.close()
        subscriptions[id] = (subscription, subscription.attach())
        try require(pending.isConcerned == (subscriber.since != nil), "isConcerned of \(id)")
        try require(pending.origins == subscriber.origins, "origins of \(id)")
        if let looked = model.looked {
            try require(pending.root.version == max(looked, subscriber.position), "root of \(id)")
        }
        guard let since = subscriber.since else {
            try require(pending.summaries?.isEmpty == true, "summaries of a move")
            return
        }
        try require(pending.since == since, "since of \(id)")
        try checkKept(pending, subscriber, steps, "of \(id)")
    }

    private func checkKept(
        _ pending: Pending, _ subscriber: HubModel.Subscriber, _ steps: [HubModel.Step],
        _ name: String
    ) throws {
        if subscriber.isGone || subscriber.buffering == .nothing {
            try require(pending.summaries == nil && pending.commits == nil, "kept \(name)")
            return
        }
        guard let summaries = pending.summaries else {
            return try require(isBounded && pending.commits == nil, "summaries \(name) are gone")
        }
        for table in ChatFixture.names {
            try require(
                MergedDelta(summaries, tableName: table)
                    == MergedDelta(steps.map(\.summary), tableName: table),
                "summaries \(name): \(table)")
        }
        guard subscriber.buffering != .merged else {
            return try require(pending.commits == nil, "commits \(name)")
        }
        let commits = pending.commits ?? []
        try require(
            commits.map(\.summary.version) == steps.map(\.new.version)
                && commits.map(\.summary.origin) == steps.map(\.summary.origin),
            "commits \(name)")
        for (commit, step) in zip(commits, steps) {
            let isConcerning = subscriber.concerning.contains(step.new.version)
            try require(commit.isConcerning == isConcerning, "concern \(name)")
            let root = isConcerning && subscriber.buffering == .versions ? step.new : nil
            try require(commit.root === root, "roots \(name)")
        }
    }
}

extension Interest {
    /// Returns an interest that may depend on the schema and on the people.
    static func randomAtEachVersion(
        _ random: inout SeededRandom
    ) -> @Sendable (DatabaseRoot) -> Interest {
        let interests = (0..<3).map { _ in Interest.random(&random) }
        switch random.below(3) {
        case 0:
            return { _ in interests[0] }
        case 1:
            return { root in interests[Int(root.schema.version % 3)] }
        default:
            return { root in
                let terms = interests[root.keys(ChatFixture.person).count % 3].terms
                return Interest(terms.union([.table("Person")]), source: "Person")
            }
        }
    }

    static func random(_ random: inout SeededRandom) -> Interest {
        Interest(
            (0...random.below(3)).map { _ -> Term in
                let owner = ObjectKey(rawValue: UInt64(random.below(4)))
                switch random.below(14) {
                case 0: return .all
                case 1: return .table(StoredText(ChatFixture.names[random.below(4)]))
                case 2: return .table("Missing")
                case 3..<6:
                    let room: Value = random.oneIn(4) ? .null : .int(Int64(random.below(4)))
                    return .value(tableName: "Message", column: "room", room)
                case 6:
                    return .value(
                        tableName: "Message", column: "score",
                        random.value(random.oneIn(2) ? .double : .int, isOptional: false))
                case 7:
                    return .value(
                        tableName: "Message", column: "tag",
                        random.value(.string, isOptional: true))
                case 8: return .value(tableName: "Message", column: "missing", .int(0))
                case 9: return .value(tableName: "Person", column: "number", .int(0))
                case 10:  // the rows of the list belong to another class
                    return .elements(
                        tableName: "Reaction", listOf: "Room", list: "messages", row: owner)
                default:
                    return .elements(
                        tableName: "Message", listOf: "Room",
                        list: random.oneIn(2) ? "messages" : "pinned", row: owner)
                }
            })
    }
}

extension EngineTransaction {
    /// Makes one random change of rooms, messages, reactions and people.
    fileprivate func changeSomething(_ random: inout SeededRandom) throws {
        let rooms = keys(ChatFixture.room)
        let messages = keys(ChatFixture.message)
        let choice = random.below(12)
        if rooms.count < 4 { _ = try insert(ChatFixture.room, [.int(0)]) }
        switch choice {
        case 0..<3:
            let room: Int64? = random.oneIn(4) ? nil : Int64(random.below(4))
            let message = try addMessage(room: room)
            if let owner = rooms.randomElement(using: &random), random.oneIn(2) {
                try insertIntoList(ChatFixture.room, owner, ChatFixture.messages, at: 0, [message])
            }
        case 3:
            try addPerson()
            guard let reaction = keys(ChatFixture.reaction).randomElement(using: &random) else {
                return
            }
            try set(ChatFixture.reaction, reaction, ColumnKey(rawValue: 0), .int(1))
        case 4: keys(ChatFixture.person).first.map { delete(ChatFixture.person, $0) }
        default:
            guard let message = messages.randomElement(using: &random) else { return }
            try change(message, rooms, choice, &random)
        }
    }

    private func change(
        _ message: ObjectKey, _ rooms: [ObjectKey], _ choice: Int,
        _ random: inout SeededRandom
    ) throws {
        switch choice {
        case 5, 6:
            let room: Value = random.oneIn(4) ? .null : .int(Int64(random.below(4)))
            try set(ChatFixture.message, message, ChatFixture.roomOfMessage, room)
        case 7:
            try set(
                ChatFixture.message, message, ChatFixture.score,
                random.value(.double, isOptional: false))
        case 8:
            try set(
                ChatFixture.message, message, ChatFixture.tag,
                random.value(.string, isOptional: true))
        case 9: delete(ChatFixture.message, message)
        case 10:
            let reaction = try insert(ChatFixture.reaction, [.int(0)])
            try insertIntoList(
                ChatFixture.message, message, ChatFixture.reactions, at: 0, [reaction])
        default:
            guard let owner = rooms.randomElement(using: &random) else { return }
            let list = random.oneIn(2) ? ChatFixture.messages : ChatFixture.pinned
            let count = listCount(ChatFixture.room, owner, list)
            if count > 0, random.oneIn(2) {
                removeFromList(ChatFixture.room, owner, list, 0..<1)
            } else {
                try insertIntoList(
                    ChatFixture.room, owner, list, at: random.below(count + 1), [message])
            }
        }
    }
}
