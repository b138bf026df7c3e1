import Regnum
import RegnumTestSupport

@testable import RegnumTestModels

/// A value of any type in plain Swift, where elements of lists and dictionaries have an identity.
indirect enum AnyStreamValue: Sendable {
    case none
    case int(Int)
    case text(String)
    case pet(String)
    case list([AnyStreamNode])
    case dictionary([String: AnyStreamNode])

    static let keys = ["", "k", "x", "é"]
    static let pets = ["Rex", "Bo", "Ida"]

    static func random(
        _ random: inout SeededRandom, depth: Int, _ node: (AnyStreamValue) -> AnyStreamNode
    ) -> AnyStreamValue {
        switch random.next() % (depth > 0 ? 9 : 5) {
        case 0: return .none
        case 1, 2: return .int(Int(random.next() % 4))
        case 3: return .text(["", "a", "b"][Int(random.next() % 3)])
        case 4: return .pet(pets[Int(random.next() % 3)])
        case 5, 6:
            return .list(
                (0..<random.next() % 4).map { _ in
                    node(.random(&random, depth: depth - 1, node))
                })
        default:
            var map: [String: AnyStreamNode] = [:]
            for _ in 0..<random.next() % 4 {
                map[keys[Int(random.next() % 4)]] = node(
                    .random(&random, depth: depth - 1, node))
            }
            return .dictionary(map)
        }
    }

    func stored(_ tx: Transaction) throws -> AnyRealmValue {
        switch self {
        case .none: return .none
        case .int(let value): return .int(value)
        case .text(let value): return .string(value)
        case .pet(let name):
            if let pet = tx.object(AnyPet.self, forPrimaryKey: name) { return .object(pet) }
            let pet = AnyPet(name)
            try tx.add(pet)
            return .object(pet)
        case .list(let nodes): return .fromArray(try nodes.map { try $0.value.stored(tx) })
        case .dictionary(let map):
            return .fromDictionary(try map.mapValues { try $0.value.stored(tx) })
        }
    }

    /// Whether a frozen value is equal.
    func matches(_ frozen: FrozenAnyValue) -> Bool {
        switch (self, frozen) {
        case (.none, .none): return true
        case (.int(let a), .int(let b)): return a == b
        case (.text(let a), .string(let b)): return a == b
        case (.pet(let a), .object(let b)): return b.object(AnyPet.self)?.name == a
        case (.list(let a), .list(let b)):
            return a.count == b.count && zip(a, b).allSatisfy { $0.value.matches($1) }
        case (.dictionary(let a), .dictionary(let b)):
            return a.count == b.count
                && a.allSatisfy { key, node in b[key].map { node.value.matches($0) } ?? false }
        default: return false
        }
    }

    /// Makes the links to a pet nil, and returns whether there were any.
    mutating func drop(_ pet: String, _ commit: Int) -> Bool {
        switch self {
        case .pet(pet):
            self = .none
            return true
        case .list(var nodes):
            var isHit = false
            for index in nodes.indices where nodes[index].drop(pet, commit) { isHit = true }
            self = .list(nodes)
            return isHit
        case .dictionary(var map):
            var isHit = false
            for key in map.keys where map[key]?.drop(pet, commit) == true { isHit = true }
            self = .dictionary(map)
            return isHit
        default: return false
        }
    }
}

/// An element of a list or dictionary.
struct AnyStreamNode: Sendable {
    let id: Int
    /// The last commit that set it, or something in it.
    var commit: Int
    var value: AnyStreamValue

    mutating func drop(_ pet: String, _ commit: Int) -> Bool {
        guard value.drop(pet, commit) else { return false }
        self.commit = commit
        return true
    }
}

/// The content shown by a stream: nodes in order, for a dictionary with their keys.
struct AnyStreamState: Sendable {
    var nodes: [(key: String?, node: AnyStreamNode)] = []

    init() {}

    init(_ nodes: [AnyStreamNode]) { self.nodes = nodes.map { (nil, $0) } }

    init(_ map: [String: AnyStreamNode]) {
        nodes =
            map.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { ($0.key, $0.value) }
    }

    var ids: Set<Int> { Set(nodes.map(\.node.id)) }

    /// Returns the positions in both states of nodes that were inserted, deleted or set.
    func changes(since old: AnyStreamState) -> AnyStreamChanges {
        var changes = AnyStreamChanges()
        let (before, after) = (old.ids, ids)
        let commits = Dictionary(
            uniqueKeysWithValues: old.nodes.map { ($0.node.id, $0.node.commit) })
        let places = Dictionary(
            uniqueKeysWithValues: old.nodes.enumerated().map { ($1.node.id, $0) })
        changes.deletions = old.nodes.indices.filter { !after.contains(old.nodes[$0].node.id) }
        changes.insertions = nodes.indices.filter { !before.contains(nodes[$0].node.id) }
        for (position, entry) in nodes.enumerated() {
            guard let commit = commits[entry.node.id], commit != entry.node.commit else { continue }
            changes.newModifications.append(position)
            changes.modifications.append(places[entry.node.id] ?? -1)
        }
        return changes
    }

    func keys(_ positions: [Int]) -> [String] { positions.map { nodes[$0].key ?? "?" } }
}

struct AnyStreamChanges: Equatable {
    var deletions: [Int] = []
    var insertions: [Int] = []
    var modifications: [Int] = []
    var newModifications: [Int] = []

    var isEmpty: Bool { self == AnyStreamChanges() }
}

/// A note, or its absence.
struct AnyStreamModel: Sendable {
    var isThere = false
    var content = AnyStreamValue.none
    var list: [AnyStreamNode] = []
    var map: [String: AnyStreamNode] = [:]

    mutating func drop(_ pet: String, _ commit: Int) {
        _ = content.drop(pet, commit)
        for index in list.indices { _ = list[index].drop(pet, commit) }
        for key in map.keys { _ = map[key]?.drop(pet, commit) }
    }
}

/// A collection of the note, identified by its path.
struct AnyStreamPath: CustomStringConvertible {
    enum Start: CaseIterable { case content, list, map }

    enum Step {
        case key(String)
        case position(Int)
    }

    var start: Start
    var steps: [Step]
    var isDictionary: Bool

    var description: String { "\(start)\(steps)\(isDictionary ? " by keys" : "")" }

    static func random(_ random: inout SeededRandom) -> AnyStreamPath {
        let start = Start.allCases[Int(random.next() % 3)]
        let steps = (0..<random.next() % 3).map { _ -> Step in
            random.next() % 2 == 0
                ? .position(Int(random.next() % 3))
                : .key(AnyStreamValue.keys[Int(random.next() % 4)])
        }
        return AnyStreamPath(start: start, steps: steps, isDictionary: random.next() % 2 == 0)
    }

    /// Returns the content at the path.
    func state(_ model: AnyStreamModel) -> AnyStreamState {
        guard model.isThere else { return AnyStreamState() }
        var value: AnyStreamValue =
            switch start {
            case .content: model.content
            case .list: .list(model.list)
            case .map: .dictionary(model.map)
            }
        for step in steps {
            switch (step, value) {
            case (.key(let key), .dictionary(let map)):
                guard let node = map[key] else { return AnyStreamState() }
                value = node.value
            case (.position(let position), .list(let nodes)):
                guard position < nodes.count else { return AnyStreamState() }
                value = nodes[position].value
            default: return AnyStreamState()
            }
        }
        switch value {
        case .list(let nodes): return isDictionary ? AnyStreamState() : AnyStreamState(nodes)
        case .dictionary(let map): return AnyStreamState(map)
        default: return AnyStreamState()
        }
    }

    /// Returns the values at the path.
    func values(_ note: Live<AnyNote>) -> LiveValues<FrozenAnyValue>? {
        var rest = steps[...]
        var values: LiveValues<FrozenAnyValue>
        switch start {
        case .content: values = note.content
        case .list: values = note.list
        case .map:
            guard case .key(let key)? = rest.popFirst() else { return nil }
            values = note.map.at(key)
        }
        for step in rest {
            switch step {
            case .key(let key): values = values.at(key)
            case .position(let position): values = values.at(position)
            }
        }
        return values
    }

    /// Returns the dictionary at the path.
    func map(_ note: Live<AnyNote>) -> LiveMap<String, FrozenAnyValue>? {
        if case .map = start, steps.isEmpty { return note.map }
        return values(note)?.dictionary
    }
}
