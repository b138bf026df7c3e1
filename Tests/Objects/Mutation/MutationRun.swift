import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The outcome of a body.
///
/// Guard of the `@unchecked Sendable`: the body writes it, and the task that waits for the body
/// reads it afterwards.
private final class Outcome: @unchecked Sendable {
    var world = PlainRealm()
    var isViolated = false
}

/// One realm and its history.
final class MutationRun {
    private struct NoElement: Error {}

    private let seed: UInt64
    private var random: SeededRandom
    private var world = PlainRealm()
    private let folder: RealmFolder
    private(set) var counts: [String: Int] = [:]
    private var stream: CollectionChanges<GraphNode>.AsyncIterator?
    private var mirror: [(row: RowIdentity, key: Int, node: PlainNode)] = []
    private var held: (snapshot: Snapshot, content: GraphContent)?

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededRandom(seed)
        folder = try RealmFolder()
    }

    private func count(_ what: String) { counts[what, default: 0] += 1 }

    func run(_ steps: Int) async throws {
        // With and without a list of classes.
        let configuration = folder.configuration("test.realm", seed % 2 == 0 ? graphClasses : nil)
        var realm = try await Realm.open(configuration)
        for step in 0..<steps {
            do {
                try await transaction(realm)
                if random.percent(4) {
                    await realm.close()
                    realm = try await Realm.open(configuration)
                    stream = nil
                    count("reopened")
                }
                try await check(realm)
                if random.percent(15) || stream == nil { try await pull(realm) }
            } catch {
                Issue.record("REGNUM_SEED=\(seed), step \(step): \(error)")
                break
            }
        }
        await realm.close()
    }

    private func transaction(_ realm: Realm) async throws {
        let before = world
        let transactionSeed = random.next()
        let throwsError = random.percent(12)
        let durability: Realm.Durability =
            random.percent(10) ? .full : .relaxed(within: .seconds(1))
        let version = realm.snapshot().version
        let outcome = Outcome()
        var thrown: (any Error)?
        do {
            try await realm.write(durability: durability) { tx in
                var driver = MutationDriver(before, seed: transactionSeed)
                defer { (outcome.world, outcome.isViolated) = (driver.world, driver.isViolated) }
                try driver.run(tx)
                if throwsError { throw Undo() }
            }
        } catch {
            thrown = error
        }
        switch thrown {
        case nil:
            try #require(!outcome.isViolated && !throwsError, "the transaction should have failed")
            world = outcome.world
            count("committed")
            counts["nodes at commits", default: 0] += world.nodes.count
            counts["notes at commits", default: 0] += world.notes.count
        case let error as Realm.Error where outcome.isViolated:
            let codes: [Realm.Error.Code] = [.invalidValue, .duplicatePrimaryKey]
            try #require(codes.contains(error.code) && realm.snapshot().version == version)
            count("violated")
        case is Undo where throwsError:
            try #require(realm.snapshot().version == version)
            count("thrown")
        case let error?:
            throw error
        }
    }

    private func check(_ realm: Realm) async throws {
        try world.check(try await realm.read { GraphContent($0) }, "read's")
        let snapshot = realm.snapshot()
        let content = GraphContent(snapshot)
        try world.check(content, "frozen")
        if let held {
            let now = GraphContent(held.snapshot)
            if now != held.content {
                throw MutationDifference(view: "held", expected: held.content, found: now)
            }
        }
        if held == nil || random.percent(10) { held = (snapshot, content) }
    }

    /// Applies the next change set of a stream to the mirror.
    private func pull(_ realm: Realm) async throws {
        guard var stream else {
            var stream = realm.objects(GraphNode.self).changes.makeAsyncIterator()
            guard case .initial(let nodes)? = try await stream.next(isolation: #isolation) else {
                throw NoElement()
            }
            mirror = nodes.map { ($0.rowIdentity, $0.key, PlainNode($0).told) }
            self.stream = stream
            return try checkMirror()
        }
        // Something to report, whatever happened before.
        let label = "told \(random.next())"
        let key = world.nodes.keys.min()
        world.begin()
        try await realm.write { tx in
            if let key, let node = tx.object(GraphNode.self, forPrimaryKey: key) {
                node.label = label
            } else {
                try tx.create(GraphNode.self, value: ["key": 0, "label": label])
            }
        }
        var node = world.nodes[key ?? 0] ?? PlainNode()
        node.label = label
        world.put(key ?? 0, node)
        guard case .update(let nodes, let delta)? = try await stream.next(isolation: #isolation)
        else {
            throw NoElement()
        }
        self.stream = stream
        for position in delta.deletions.reversed() { mirror.remove(at: position) }
        for position in delta.insertions {
            let node = nodes[position]
            mirror.insert((node.rowIdentity, node.key, PlainNode(node).told), at: position)
        }
        for (position, change) in zip(delta.newModifications, delta.modified) {
            try #require(mirror[position].row == change.new.rowIdentity)
            try #require(mirror[position].node == PlainNode(change.old).told)
            mirror[position].node = PlainNode(change.new).told
        }
        count("change sets")
        try checkMirror()
        try await check(realm)
    }

    private func checkMirror() throws {
        var expected = world.content(inOrderOf: held?.content ?? GraphContent()).nodes.map {
            ($0.key, $0.node.told)
        }
        expected.sort { $0.0 < $1.0 }
        let found = mirror.map { ($0.key, $0.node) }.sorted { $0.0 < $1.0 }
        try #require(found.map(\.0) == expected.map(\.0), "the stream's keys")
        for (left, right) in zip(found, expected) {
            try #require(left.1 == right.1, "the stream's node \(left.0)")
        }
    }
}
