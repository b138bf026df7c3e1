import RegnumTestSupport

@testable import RegnumTestModels

// The expected content of the realm, in plain Swift.

struct PlainLid: Hashable, Sendable {
    var text = ""
    var marks: [Int] = []
}

struct PlainBox: Hashable, Sendable {
    var color = "white"
    var size = 0
    var lid: PlainLid?
    var node: Int?
}

struct PlainNode: Hashable, Sendable {
    var label = ""
    var small: Int8 = 0
    /// Bits, so that NaN equals itself and the two zeros differ.
    var ratio: UInt64 = 0
    var weight: UInt32 = 0
    var isOn = false
    var seconds = 0
    var data: [UInt8] = []
    var grade = NodeGrade.low
    var oldGrade: NodeGrade?
    var maybe: Int?
    var next: Int?
    var note: Int?
    var nodes: [Int] = []
    var notes: [Int] = []
    var tags: [String] = []
    var scores: [Int?] = []
    var box: PlainBox?
    var boxes: [PlainBox] = []
}

struct PlainNote: Hashable, Sendable {
    var text = ""
    var about: Int?
}

/// Everything that a view of a realm shows, in its order.
struct GraphContent: Hashable, Sendable {
    struct Node: Hashable, Sendable {
        var key: Int
        var node: PlainNode
        var previous: [Int]
        var holders: [Int]
        var comments: [Int]
        /// The sizes of the boxes that contain it, sorted.
        var boxedIn: [Int]
        var boxOwners: [Int]
    }

    struct Note: Hashable, Sendable {
        var number: Int
        var note: PlainNote
        var nodes: [Int]
        var lists: [Int]
    }

    var nodes: [Node] = []
    var notes: [Note] = []
}

/// Nodes by key, notes by number.
struct PlainRealm: Sendable {
    var nodes: [Int: PlainNode] = [:]
    var notes: [Int: PlainNote] = [:]
    /// The number of the operation that created each object; objects of later operations come
    /// later.
    var nodeBirths: [Int: Int] = [:]
    var noteBirths: [Int: Int] = [:]
    private(set) var operation = 0
    private var lastNote = 0

    mutating func begin() { operation += 1 }

    mutating func nextNote() -> Int {
        lastNote += 1
        return lastNote
    }

    /// Undoes changes. Operations and numbers used by them aren't reused.
    func undone(to earlier: PlainRealm) -> PlainRealm {
        var world = earlier
        world.operation = operation
        world.lastNote = lastNote
        return world
    }

    mutating func put(_ key: Int, _ node: PlainNode) {
        if nodes.updateValue(node, forKey: key) == nil { nodeBirths[key] = operation }
    }

    mutating func put(note number: Int, _ note: PlainNote) {
        notes[number] = note
        noteBirths[number] = operation
    }

    mutating func deleteNode(_ key: Int) {
        nodes[key] = nil
        nodeBirths[key] = nil
        for (other, var node) in nodes {
            if node.next == key { node.next = nil }
            node.nodes.removeAll { $0 == key }
            if node.box?.node == key { node.box?.node = nil }
            for index in node.boxes.indices where node.boxes[index].node == key {
                node.boxes[index].node = nil
            }
            nodes[other] = node
        }
        for (number, note) in notes where note.about == key { notes[number]?.about = nil }
    }

    mutating func deleteNote(_ number: Int) {
        notes[number] = nil
        noteBirths[number] = nil
        for (other, var node) in nodes {
            if node.note == number { node.note = nil }
            node.notes.removeAll { $0 == number }
            nodes[other] = node
        }
    }

    mutating func deleteAll() {
        nodes = [:]
        notes = [:]
        nodeBirths = [:]
        noteBirths = [:]
    }

    /// Returns the content in the order of `seen`, as far as that is valid: objects of one
    /// operation may come in any order, others by birth.
    func content(inOrderOf seen: GraphContent) -> GraphContent {
        let keyRank = Dictionary(
            seen.nodes.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
        let noteRank = Dictionary(
            seen.notes.enumerated().map { ($1.number, $0) }, uniquingKeysWith: { first, _ in first }
        )
        let keys = nodes.keys.sorted {
            (nodeBirths[$0] ?? 0, keyRank[$0] ?? -1) < (nodeBirths[$1] ?? 0, keyRank[$1] ?? -1)
        }
        let numbers = notes.keys.sorted {
            (noteBirths[$0] ?? 0, noteRank[$0] ?? -1) < (noteBirths[$1] ?? 0, noteRank[$1] ?? -1)
        }
        func times(_ key: Int, _ list: (PlainNode) -> [Int]) -> [Int] {
            keys.flatMap { other in
                (nodes[other].map(list) ?? []).filter { $0 == key }.map { _ in other }
            }
        }
        let boxes = nodes.values.flatMap { $0.boxes + ($0.box.map { [$0] } ?? []) }
        var content = GraphContent()
        for key in keys {
            guard let node = nodes[key] else { continue }
            content.nodes.append(
                GraphContent.Node(
                    key: key, node: node, previous: keys.filter { nodes[$0]?.next == key },
                    holders: times(key) { $0.nodes },
                    comments: numbers.filter { notes[$0]?.about == key },
                    boxedIn: boxes.filter { $0.node == key }.map(\.size).sorted(),
                    boxOwners: node.box == nil ? [] : [key]))
        }
        for number in numbers {
            guard let note = notes[number] else { continue }
            content.notes.append(
                GraphContent.Note(
                    number: number, note: note, nodes: keys.filter { nodes[$0]?.note == number },
                    lists: times(number) { $0.notes }))
        }
        return content
    }
}

/// A difference between a view and the world.
struct MutationDifference: Error, CustomStringConvertible {
    let view: String
    let expected: GraphContent
    let found: GraphContent

    var description: String {
        var text = "The \(view) view differs."
        for node in expected.nodes where !found.nodes.contains(node) { text += "\n- \(node)" }
        for node in found.nodes where !expected.nodes.contains(node) { text += "\n+ \(node)" }
        for note in expected.notes where !found.notes.contains(note) { text += "\n- \(note)" }
        for note in found.notes where !expected.notes.contains(note) { text += "\n+ \(note)" }
        text += "\nexpected order: \(expected.nodes.map(\.key)), \(expected.notes.map(\.number))"
        text += "\nfound order: \(found.nodes.map(\.key)), \(found.notes.map(\.number))"
        return text + "\nexpected: \(expected)\nfound: \(found)"
    }
}

extension PlainRealm {
    /// Throws a ``MutationDifference`` if a view doesn't match this world.
    func check(_ found: GraphContent, _ view: String) throws {
        let expected = content(inOrderOf: found)
        if expected != found {
            throw MutationDifference(view: view, expected: expected, found: found)
        }
    }
}
