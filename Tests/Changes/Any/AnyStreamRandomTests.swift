import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Streams of lists and dictionaries in values of any type, at any depth, against a plain model:
/// random changes at random depths, in several commits between two elements, with owners that come
/// and go.
@Suite struct AnyStreamRandomTests {
    private struct TakenBack: Error {}

    /// Changes a note and its model.
    private struct Writer {
        var random: SeededRandom
        let commit: Int
        var nextID: Int

        init(_ seed: UInt64, commit: Int) {
            random = SeededRandom(seed)
            self.commit = commit
            nextID = commit * 1_000_000
        }

        private mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

        private mutating func value(depth: Int) -> AnyStreamValue {
            var id = nextID
            let made = AnyStreamValue.random(&random, depth: depth) { value in
                id += 1
                return AnyStreamNode(id: id, commit: commit, value: value)
            }
            nextID = id
            return made
        }

        private mutating func node(depth: Int) -> AnyStreamNode {
            nextID += 1
            return AnyStreamNode(id: nextID, commit: commit, value: value(depth: depth))
        }

        mutating func step(_ model: inout AnyStreamModel, _ tx: Transaction) throws {
            guard let note = tx.object(AnyNote.self, forPrimaryKey: 1) else {
                try tx.add(AnyNote(1))
                model = AnyStreamModel()
                model.isThere = true
                return
            }
            switch pick(12) {
            case 0:
                if pick(3) == 0 {
                    tx.delete(note)
                    model = AnyStreamModel()
                }
            case 1:
                let name = AnyStreamValue.pets[pick(3)]
                guard let pet = tx.object(AnyPet.self, forPrimaryKey: name) else { return }
                tx.delete(pet)
                model.drop(name, commit)
            case 2...5:
                try change(note.content, &model.content, tx) { note.content = $0 }
            case 6...8: try change(note.list, &model.list, tx)
            default: try change(note.map, &model.map, tx)
            }
        }

        private mutating func change(
            _ stored: AnyRealmValue, _ value: inout AnyStreamValue, _ tx: Transaction,
            set: (AnyRealmValue) -> Void
        ) throws {
            let goesIn = pick(5) != 0
            switch (stored, value) {
            case (.list(let list), .list(var nodes)) where goesIn:
                try change(list, &nodes, tx)
                value = .list(nodes)
            case (.dictionary(let map), .dictionary(var nodes)) where goesIn:
                try change(map, &nodes, tx)
                value = .dictionary(nodes)
            default:
                value = self.value(depth: 3)
                set(try value.stored(tx))
            }
        }

        private mutating func change(
            _ list: List<AnyRealmValue>, _ nodes: inout [AnyStreamNode], _ tx: Transaction
        ) throws {
            let position = pick(nodes.count + 1)
            if position == nodes.count || pick(4) == 0 {
                let new = node(depth: 2)
                list.insert(try new.value.stored(tx), at: position)
                nodes.insert(new, at: position)
            } else if pick(4) == 0 {
                list.remove(at: position)
                nodes.remove(at: position)
            } else {
                try change(list[position], &nodes[position].value, tx) { list[position] = $0 }
                nodes[position].commit = commit
            }
        }

        private mutating func change(
            _ map: Map<String, AnyRealmValue>, _ nodes: inout [String: AnyStreamNode],
            _ tx: Transaction
        ) throws {
            let key = AnyStreamValue.keys[pick(4)]
            if let stored = map[key], var node = nodes[key] {
                if pick(4) == 0 {
                    map[key] = nil
                    nodes[key] = nil
                } else {
                    try change(stored, &node.value, tx) { map[key] = $0 }
                    node.commit = commit
                    nodes[key] = node
                }
            } else {
                let new = node(depth: 2)
                map[key] = try new.value.stored(tx)
                nodes[key] = new
            }
        }
    }

    /// A stream, what it delivered last, and what it is expected to deliver.
    private struct Watch {
        enum Stream {
            case values(ValueChanges<FrozenAnyValue>.AsyncIterator)
            case map(MapChanges<String, FrozenAnyValue>.AsyncIterator)
        }

        let path: AnyStreamPath
        let policy: ChangePolicy
        var stream: Stream
        var state: AnyStreamState
        /// The states committed since then; except for `.everyCommit`, only the last matters.
        var pending: [AnyStreamState] = []

        init?(
            _ path: AnyStreamPath, _ policy: ChangePolicy, _ note: Live<AnyNote>,
            _ model: AnyStreamModel
        ) {
            self.path = path
            self.policy = policy
            state = path.state(model)
            if path.isDictionary {
                guard let map = path.map(note) else { return nil }
                stream = .map(map.changes(policy: policy).makeAsyncIterator())
            } else {
                guard let values = path.values(note) else { return nil }
                stream = .values(values.changes(policy: policy).makeAsyncIterator())
            }
        }

        /// Returns what the stream has to deliver by now.
        mutating func expected() -> [AnyStreamState] {
            defer { pending = [] }
            var states = pending
            if policy != .everyCommit { states = states.suffix(1) }
            var reported: [AnyStreamState] = []
            for next in states where !next.changes(since: reported.last ?? state).isEmpty {
                reported.append(next)
            }
            return reported
        }

        /// Pulls the next element: the first, or one that leads to a state.
        mutating func next(_ expected: AnyStreamState?, _ place: Comment) async throws {
            switch stream {
            case .values(var iterator):
                let element = try await iterator.next(isolation: #isolation)
                stream = .values(iterator)
                guard let element else {
                    Issue.record("the stream is over: \(place)")
                    return
                }
                check(element, expected, place)
            case .map(var iterator):
                let element = try await iterator.next(isolation: #isolation)
                stream = .map(iterator)
                guard let element else {
                    Issue.record("the stream is over: \(place)")
                    return
                }
                check(element, expected, place)
            }
            if let expected { state = expected }
        }

        private func check(
            _ element: ValueChange<FrozenAnyValue>, _ expected: AnyStreamState?, _ place: Comment
        ) {
            switch (element, expected) {
            case (.initial(let values), nil):
                expectTrue(Watch.matches(state, values), place)
            case (.update(let values, let reported), let expected?):
                expectTrue(Watch.matches(expected, values), place)
                let changes = expected.changes(since: state)
                expectEqual(reported.deletions, changes.deletions, place)
                expectEqual(reported.insertions, changes.insertions, place)
                expectEqual(reported.modifications, changes.modifications, place)
                expectEqual(reported.newModifications, changes.newModifications, place)
                for (value, position) in zip(reported.deleted, changes.deletions) {
                    expectTrue(state.nodes[position].node.value.matches(value), place)
                }
                for (pair, position) in zip(reported.modified, changes.modifications) {
                    expectTrue(state.nodes[position].node.value.matches(pair.old), place)
                }
            default: Issue.record("an element of the wrong kind: \(place)")
            }
        }

        private func check(
            _ element: MapChange<String, FrozenAnyValue>, _ expected: AnyStreamState?,
            _ place: Comment
        ) {
            switch (element, expected) {
            case (.initial(let map), nil):
                expectTrue(Watch.matches(state, map), place)
            case (.update(let map, let reported), let expected?):
                expectTrue(
                    Watch.matches(expected, map) && Watch.matches(state, reported.old), place)
                let changes = expected.changes(since: state)
                expectEqual(reported.deletions, state.keys(changes.deletions), place)
                expectEqual(reported.insertions, expected.keys(changes.insertions), place)
                expectEqual(reported.modifications, expected.keys(changes.newModifications), place)
            default: Issue.record("an element of the wrong kind: \(place)")
            }
        }

        static func matches(
            _ state: AnyStreamState, _ values: FrozenValues<FrozenAnyValue>
        ) -> Bool {
            state.nodes.count == values.count
                && zip(state.nodes, values).allSatisfy { $0.node.value.matches($1) }
        }

        static func matches(
            _ state: AnyStreamState, _ map: FrozenMap<String, FrozenAnyValue>
        ) -> Bool {
            state.nodes.count == map.count
                && zip(state.nodes, map).allSatisfy {
                    $0.key == $1.key && $0.node.value.matches($1.value)
                }
                && state.nodes.allSatisfy { entry in
                    map[entry.key ?? "?"].map { entry.node.value.matches($0) } ?? false
                }
        }
    }

    // Covers 4.38, O43
    @Test(arguments: 0..<Effort.count(gate: 12, soak: 120)) func streamsAgreeWithAPlainModel(
        round: Int
    ) async throws {
        let start = SeededRandom.seed() &+ UInt64(round)
        var random = SeededRandom(start)
        let realm = try await Realm.temporary(anyClasses)
        let note = realm.object(AnyNote.self, forPrimaryKey: 1)
        var model = AnyStreamModel()
        var watches: [Watch] = []
        var toldCount = 0
        for step in 0..<80 {
            if watches.count < 24 {
                let policies: [ChangePolicy] = [.coalesce, .everyCommit, .newest]
                let policy = policies[Int(random.next() % 3)]
                let path = AnyStreamPath.random(&random)
                if var watch = Watch(path, policy, note, model) {
                    try await watch.next(nil, "seed \(start), step \(step), \(path) begins")
                    watches.append(watch)
                }
            }
            let (seed, before) = (random.next(), model)
            let fails = random.next() % 6 == 0
            do {
                model = try await realm.write { tx in
                    var writer = Writer(seed, commit: step + 1)
                    var model = before
                    for _ in 0...writer.random.next() % 3 { try writer.step(&model, tx) }
                    if fails { throw TakenBack() }
                    return model
                }
            } catch is TakenBack {
                continue
            }
            for index in watches.indices {
                let path = watches[index].path
                let policy = watches[index].policy
                let place: Comment = "seed \(start), step \(step), \(path), \(policy)"
                let state = path.state(model)
                watches[index].pending.append(state)
                if let values = path.values(note), !path.isDictionary {
                    expectTrue(Watch.matches(state, values.current), place)
                } else if let map = path.map(note), path.isDictionary {
                    expectTrue(Watch.matches(state, map.current), place)
                }
                if random.next() % 3 == 0 { continue }
                for expected in watches[index].expected() {
                    try await watches[index].next(expected, place)
                    toldCount += 1
                }
            }
        }
        expectTrue(toldCount > 10, "seed \(start)")
    }
}
