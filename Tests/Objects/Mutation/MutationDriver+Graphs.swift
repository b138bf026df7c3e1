import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

// Graphs of new objects, added under every policy.

extension MutationDriver {
    /// New objects that link to each other and to stored ones.
    private struct Graph {
        var nodes: [Int: PlainNode] = [:]
        var notes: [Int: PlainNote] = [:]

        /// Returns the nodes and notes reachable from a node through objects of the graph.
        func reached(from root: Int) -> (nodes: Set<Int>, notes: Set<Int>) {
            var found: (nodes: Set<Int>, notes: Set<Int>) = ([root], [])
            var pending = [root]
            while let key = pending.popLast() {
                guard let node = nodes[key] else { continue }
                var targets = [node.next, node.box?.node] + node.boxes.map(\.node) + node.nodes
                for number in [node.note] + node.notes {
                    guard let number, let note = notes[number] else { continue }
                    found.notes.insert(number)
                    targets.append(note.about)
                }
                for case let target? in targets where nodes[target] != nil {
                    if found.nodes.insert(target).inserted { pending.append(target) }
                }
            }
            return found
        }
    }

    private mutating func randomGraph(_ policy: Realm.UpdatePolicy) -> (root: Int, Graph) {
        var graph = Graph()
        var candidates = Array(0..<14)
        // Mostly without what is refused.
        if policy == .error, random.percent(85) {
            candidates.removeAll { world.nodes[$0] != nil }
            if candidates.isEmpty { candidates = [0] }
        }
        candidates.shuffle(using: &random)
        let fresh = Array(candidates.prefix(random.number(1..<5)))
        for key in fresh { graph.nodes[key] = randomNode() }
        for _ in 0..<random.number(0..<3) { graph.notes[world.nextNote()] = PlainNote() }
        let targets = fresh + fresh + keys.filter { graph.nodes[$0] == nil }
        let notes = graph.notes.keys.sorted() + numbers
        for key in fresh {
            guard var node = graph.nodes[key] else { continue }
            if random.percent(60) { node.next = random.element(targets) }
            if random.percent(50) { node.note = random.element(notes) }
            for _ in 0..<random.number(0..<4) { node.nodes.append(random.element(targets) ?? key) }
            if !notes.isEmpty {
                for _ in 0..<random.number(0..<3) { node.notes.append(random.element(notes)!) }
            }
            if random.percent(50) { node.box = randomBox(targets) }
            for _ in 0..<random.number(0..<3) { node.boxes.append(randomBox(targets)) }
            graph.nodes[key] = node
        }
        for number in graph.notes.keys.sorted() {
            graph.notes[number]?.text = "note \(number)"
            if random.percent(60) { graph.notes[number]?.about = random.element(targets) }
        }
        return (fresh[0], graph)
    }

    /// Creates the unmanaged objects of a graph.
    private mutating func make(
        _ graph: Graph, _ tx: Transaction
    ) throws -> (nodes: [Int: GraphNode], notes: [Int: GraphNote]) {
        var nodes: [Int: GraphNode] = [:]
        var notes: [Int: GraphNote] = [:]
        for (key, plain) in graph.nodes {
            nodes[key] = GraphNode()
            Self.fill(nodes[key]!, key, plain)
        }
        for (number, plain) in graph.notes {
            notes[number] = GraphNote()
            notes[number]?.number = number
            notes[number]?.text = plain.text
        }
        func node(_ key: Int?) -> GraphNode? {
            guard let key else { return nil }
            if let made = nodes[key] { return made }
            return tx.object(GraphNode.self, forPrimaryKey: key)
        }
        func note(_ number: Int) throws -> GraphNote { try notes[number] ?? self.note(number, tx) }
        for (key, plain) in graph.nodes {
            guard let made = nodes[key] else { continue }
            made.next = node(plain.next)
            made.note = try plain.note.map { try note($0) }
            made.nodes.append(objectsIn: plain.nodes.compactMap { node($0) })
            made.notes.append(objectsIn: try plain.notes.map { try note($0) })
            made.box = plain.box.map { $0.made(node($0.node)) }
            made.boxes.append(objectsIn: plain.boxes.map { $0.made(node($0.node)) })
        }
        for (number, plain) in graph.notes { notes[number]?.about = node(plain.about) }
        return (nodes, notes)
    }

    /// Adds a graph, sometimes one that is refused, which must change nothing.
    mutating func addGraph(_ tx: Transaction) throws {
        let policy = random.element(Realm.UpdatePolicy.allCases) ?? .error
        let (root, graph) = randomGraph(policy)
        let reached = graph.reached(from: root)
        let made = try make(graph, tx)
        let object = try #require(made.nodes[root])
        var codes: [Realm.Error.Code] = []
        if policy == .error, reached.nodes.contains(where: { world.nodes[$0] != nil }) {
            codes.append(.duplicatePrimaryKey)
        }
        if random.percent(12), let key = random.element(reached.nodes.sorted()) {
            let node = try #require(made.nodes[key])
            switch random.number(0..<4) {
            case 0: node.date = Date(timeIntervalSinceReferenceDate: .nan)
            case 1: node.nodes.append(DerivedNode())
            case 2:
                node.box = GraphBox()
                node.box.map { node.boxes.append($0) }
            default:
                let gone = GraphNote()
                try tx.add(gone)
                tx.delete(gone)
                node.notes.append(gone)
            }
            codes.append(.invalidValue)
        }
        if codes.isEmpty {
            if random.percent(50) {
                try tx.add(object, update: policy)
            } else {
                try tx.add([object, object], update: policy)
            }
            for key in reached.nodes { world.put(key, try #require(graph.nodes[key])) }
            for number in reached.notes {
                world.put(note: number, try #require(graph.notes[number]))
            }
            for (key, node) in made.nodes {
                try #require(node.isManaged == reached.nodes.contains(key))
            }
            try #require(PlainNode(object) == world.nodes[root])
            return
        }
        do {
            try tx.add(object, update: policy)
            Issue.record("a graph that can't be stored was added")
        } catch {
            try #require(codes.contains(error.code), "\(error)")
        }
        for node in made.nodes.values { try #require(!node.isManaged) }
        for note in made.notes.values { try #require(!note.isManaged) }
    }
}
