import Regnum
import Testing

@testable import RegnumTestModels

/// Values of some properties of a node, in the form that `create` takes.
struct NodeValues {
    indirect enum Target {
        case stored(Int)
        case nested(NodeValues)
    }

    struct Box {
        var color: String?
        var size: Int?
        /// Given, and perhaps `nil`.
        var lid: PlainLid??
        var node: Int??
    }

    var key: Int
    var label: String?
    var small: Int8?
    var maybe: Int??
    var grade: NodeGrade?
    var tags: [String]?
    var scores: [Int?]?
    var next: Target??
    var nodes: [Target]?
    var box: Box??
    var boxes: [Box]?
    var note: Int?

    /// All nested values, and these.
    var all: [NodeValues] {
        var targets = nodes ?? []
        if case .some(.some(let next)) = next { targets.append(next) }
        return [self]
            + targets.flatMap { target -> [NodeValues] in
                if case .nested(let values) = target { values.all } else { [] }
            }
    }

    func dictionary(_ tx: Transaction) throws -> [String: Any?] {
        var values: [String: Any?] = ["key": key]
        func object(_ target: Target) throws -> Any {
            switch target {
            case .stored(let key): try #require(tx.object(GraphNode.self, forPrimaryKey: key))
            case .nested(let values): try values.dictionary(tx)
            }
        }
        if let label { values["label"] = label }
        if let small { values["small"] = Int(small) }
        if let maybe { values.updateValue(maybe, forKey: "maybe") }
        if let grade { values["grade"] = grade.rawValue }
        if let tags { values["tags"] = tags }
        if let scores { values["scores"] = scores }
        if let next { values.updateValue(try next.map { try object($0) }, forKey: "next") }
        if let nodes { values["nodes"] = try nodes.map { try object($0) } }
        if let box { values.updateValue(try box.map { try $0.dictionary(tx) }, forKey: "box") }
        if let boxes { values["boxes"] = try boxes.map { try $0.dictionary(tx) } }
        if let note { values["note"] = ["number": note, "text": "created"] }
        return values
    }

    /// Applies the effect of `create` with these values to the world.
    func apply(to world: inout PlainRealm, _ policy: Realm.UpdatePolicy) {
        for nested in all.dropFirst() { nested.applyAlone(to: &world, policy) }
        applyAlone(to: &world, policy)
    }

    private func applyAlone(to world: inout PlainRealm, _ policy: Realm.UpdatePolicy) {
        var node = world.nodes[key] ?? PlainNode()
        func keyOf(_ target: Target) -> Int {
            switch target {
            case .stored(let key): key
            case .nested(let values): values.key
            }
        }
        if let label { node.label = label }
        if let small { node.small = small }
        if let maybe { node.maybe = maybe }
        if let grade { node.grade = grade }
        if let tags { node.tags = tags }
        if let scores { node.scores = scores }
        if let next { node.next = next.map { keyOf($0) } }
        if let nodes { node.nodes = nodes.map { keyOf($0) } }
        if let box {
            node.box = box.map { $0.plain(updating: policy == .modified ? node.box : nil) }
        }
        if let boxes {
            let old = policy == .modified ? node.boxes : []
            node.boxes = boxes.enumerated().map {
                $1.plain(updating: $0 < old.count ? old[$0] : nil)
            }
        }
        if let note {
            node.note = note
            world.put(note: note, PlainNote(text: "created"))
        }
        world.put(self.key, node)
    }
}

extension NodeValues.Box {
    fileprivate func dictionary(_ tx: Transaction) throws -> [String: Any?] {
        var values: [String: Any?] = [:]
        if let color { values["color"] = color }
        if let size { values["size"] = size }
        if let lid {
            values.updateValue(lid.map { ["text": $0.text, "marks": $0.marks] }, forKey: "lid")
        }
        if let node {
            let object = try node.map { try #require(tx.object(GraphNode.self, forPrimaryKey: $0)) }
            values.updateValue(object, forKey: "node")
        }
        return values
    }

    fileprivate func plain(updating old: PlainBox?) -> PlainBox {
        var box = old ?? PlainBox()
        if let color { box.color = color }
        if let size { box.size = size }
        if let lid { box.lid = lid }
        if let node { box.node = node }
        return box
    }
}

extension MutationDriver {
    private mutating func randomBoxValues() -> NodeValues.Box {
        var box = NodeValues.Box()
        let plain = randomBox(keys)
        if random.percent(50) { box.color = plain.color }
        if random.percent(50) { box.size = plain.size }
        if random.percent(50) { box.lid = .some(plain.lid) }
        if random.percent(50) { box.node = .some(plain.node) }
        return box
    }

    private mutating func randomValues(_ free: inout [Int], _ depth: Int) -> NodeValues? {
        guard let key = free.popLast() else { return nil }
        var values = NodeValues(key: key)
        let plain = randomNode()
        if random.percent(50) { values.label = plain.label }
        if random.percent(50) { values.small = plain.small }
        if random.percent(50) { values.maybe = .some(plain.maybe) }
        if random.percent(50) { values.grade = plain.grade }
        if random.percent(50) { values.tags = plain.tags }
        if random.percent(50) { values.scores = plain.scores }
        if random.percent(50) { values.box = .some(random.percent(30) ? nil : randomBoxValues()) }
        if random.percent(50) {
            values.boxes = (0..<random.number(0..<4)).map { _ in randomBoxValues() }
        }
        if random.percent(30) { values.note = world.nextNote() }
        if random.percent(50) {
            values.next = .some(random.percent(30) ? nil : randomTarget(&free, depth))
        }
        if random.percent(50) {
            values.nodes = (0..<random.number(0..<3)).compactMap { _ in
                randomTarget(&free, depth)
            }
        }
        return values
    }

    private mutating func randomTarget(_ free: inout [Int], _ depth: Int) -> NodeValues.Target? {
        if depth < 2, random.percent(60), let values = randomValues(&free, depth + 1) {
            return .nested(values)
        }
        return random.element(keys).map { .stored($0) }
    }

    /// Creates or updates from nested dictionaries, sometimes from one that is refused.
    mutating func create(_ tx: Transaction) throws {
        let policy = random.element(Realm.UpdatePolicy.allCases) ?? .error
        var free = Array(0..<14)
        if policy == .error, random.percent(80) { free.removeAll { world.nodes[$0] != nil } }
        free.shuffle(using: &random)
        guard let values = randomValues(&free, 0) else { return }
        var dictionary = try values.dictionary(tx)
        var codes: [Realm.Error.Code] = []
        if policy == .error, values.all.contains(where: { world.nodes[$0.key] != nil }) {
            codes.append(.duplicatePrimaryKey)
        }
        if random.percent(8) {
            dictionary["small"] = 1_000
            codes.append(.invalidValue)
        }
        if codes.isEmpty {
            let node = try tx.create(GraphNode.self, value: dictionary, update: policy)
            values.apply(to: &world, policy)
            try #require(PlainNode(node) == world.nodes[values.key])
            return
        }
        do {
            try tx.create(GraphNode.self, value: dictionary, update: policy)
            Issue.record("values that can't be stored were accepted")
        } catch {
            try #require(codes.contains(error.code), "\(error)")
        }
    }
}
