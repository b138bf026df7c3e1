import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

extension SeededRandom {
    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }
    mutating func percent(_ percent: Int) -> Bool { number(0..<100) < percent }
    mutating func element<C: Collection>(_ collection: C) -> C.Element? {
        collection.randomElement(using: &self)
    }
}

/// Makes random changes in one transaction, to both the realm and the plain world.
struct MutationDriver {
    var world: PlainRealm
    var random: SeededRandom
    /// Whether something was done that fails the transaction or the savepoint.
    var isViolated = false

    init(_ world: PlainRealm, seed: UInt64) {
        self.world = world
        random = SeededRandom(seed)
    }

    /// Objects obtained earlier in the transaction, which have to show each change since.
    private var witnesses: [MutationWitness] = []
    private var found: Results<GraphNode>?

    mutating func run(_ tx: Transaction) throws {
        found = tx.objects(GraphNode.self).where { $0.small == 1 }
        try edit(tx, times: random.number(1..<9), depth: 0)
        try world.check(GraphContent(tx), "confined")
    }

    mutating func edit(_ tx: Transaction, times: Int, depth: Int) throws {
        for _ in 0..<times {
            world.begin()
            try change(tx, depth)
            try checkWitnesses()
            if witnesses.count < 6, random.percent(25), let (key, node) = try anyNode(tx) {
                let birth = world.nodeBirths[key] ?? 0
                witnesses.append(MutationWitness(node, key: key, birth: birth))
            }
        }
    }

    private func checkWitnesses() throws {
        for witness in witnesses { try witness.check(world) }
        let keys = Set(found?.map(\.key) ?? [])
        let expected = Set(world.nodes.filter { $0.value.small == 1 }.keys)
        try #require(keys == expected)
    }

    private mutating func change(_ tx: Transaction, _ depth: Int) throws {
        switch random.number(0..<100) {
        case 0..<14: try addGraph(tx)
        case 14..<26: try create(tx)
        case 26..<38: try setValue(tx)
        case 38..<48: try setLink(tx)
        case 48..<66: try editList(tx)
        case 66..<78: try editBox(tx)
        case 78..<90: try delete(tx)
        case 90..<97: if depth < 3 { try savepoint(tx, depth) }
        case 97: try violate(tx)
        default:
            if random.percent(4) {
                tx.deleteAll()
                world.deleteAll()
            }
        }
    }

    // MARK: Finding objects

    var keys: [Int] { world.nodes.keys.sorted() }
    var numbers: [Int] { world.notes.keys.sorted() }

    /// Returns a stored node, looked up in one of several ways.
    mutating func node(_ key: Int, _ tx: Transaction) throws -> GraphNode {
        switch random.number(0..<4) {
        case 0: return try requireValue(tx.objects(GraphNode.self).where { $0.key == key }.first)
        case 1: return try requireValue(tx.objects(GraphNode.self).first { $0.key == key })
        default: return try #require(tx.object(GraphNode.self, forPrimaryKey: key))
        }
    }

    mutating func anyNode(_ tx: Transaction) throws -> (key: Int, node: GraphNode)? {
        guard let key = random.element(keys) else { return nil }
        return (key, try node(key, tx))
    }

    func note(_ number: Int, _ tx: Transaction) throws -> GraphNote {
        try requireValue(tx.objects(GraphNote.self).where { $0.number == number }.first)
    }

    // MARK: Savepoints

    private mutating func savepoint(_ tx: Transaction, _ depth: Int) throws {
        let before = world
        let violatedBefore = isViolated
        let throwsError = random.percent(40)
        let times = random.number(1..<6)
        isViolated = false
        do {
            try tx.savepoint {
                try edit(tx, times: times, depth: depth + 1)
                if throwsError { throw Undo() }
            }
            try #require(!isViolated && !throwsError)
        } catch let difference as MutationDifference {
            throw difference
        } catch let error as Realm.Error {
            try #require(isViolated && !throwsError && error.code == .invalidValue, "\(error)")
            world = world.undone(to: before)
        } catch is Undo {
            try #require(throwsError)
            world = world.undone(to: before)
        }
        isViolated = violatedBefore
        try world.check(GraphContent(tx), "savepoint's")
        try checkWitnesses()
    }

    // MARK: Values

    mutating func randomNode() -> PlainNode {
        var node = PlainNode()
        let doubles: [Double] = [0, -0.0, 1.5, -3.25, .nan, .infinity, .greatestFiniteMagnitude]
        let floats: [Float] = [0, -0.0, 0.1, .nan, -.infinity, 16_777_216]
        let words = ["", "a", "b", "straße", "e\u{301}", String(repeating: "long ", count: 30)]
        node.label = random.element(words) ?? ""
        node.small = random.element([0, 1, -1, 127, -128]) ?? 0
        node.ratio = (random.element(doubles) ?? 0).bitPattern
        node.weight = (random.element(floats) ?? 0).bitPattern
        node.isOn = random.percent(50)
        node.seconds = random.number(-1_000_000_000..<1_000_000_000)
        node.data = (0..<(random.percent(90) ? random.number(0..<4) : 300)).map { UInt8($0 & 255) }
        node.grade = random.element(NodeGrade.allCases) ?? .low
        node.oldGrade = random.percent(50) ? nil : random.element(NodeGrade.allCases)
        node.maybe = random.element([nil, 0, 7, .min, .max]) ?? nil
        node.tags = (0..<random.number(0..<4)).map { _ in random.element(words) ?? "" }
        node.scores = (0..<random.number(0..<4)).map { _ in random.element([nil, 0, 1]) ?? nil }
        return node
    }

    mutating func randomLid() -> PlainLid? {
        if random.percent(40) { return nil }
        return PlainLid(
            text: "\(random.number(0..<9))",
            marks: (0..<random.number(0..<4)).map { _ in random.number(0..<9) })
    }

    mutating func randomBox(_ targets: [Int]) -> PlainBox {
        PlainBox(
            color: random.element(["red", "blue", ""]) ?? "", size: random.number(0..<100),
            lid: randomLid(), node: random.percent(50) ? nil : random.element(targets))
    }

    /// Assigns the values of a plain node, except for links, to an unmanaged one.
    static func fill(_ node: GraphNode, _ key: Int, _ plain: PlainNode) {
        node.key = key
        for property in 0..<10 { set(property, node, plain) }
        node.tags.append(objectsIn: plain.tags)
        node.scores.append(objectsIn: plain.scores)
    }

    static func set(_ property: Int, _ node: GraphNode, _ plain: PlainNode) {
        switch property {
        case 0: node.label = plain.label
        case 1: node.small = plain.small
        case 2: node.ratio = Double(bitPattern: plain.ratio)
        case 3: node.weight = Float(bitPattern: plain.weight)
        case 4: node.isOn = plain.isOn
        case 5: node.date = Date(timeIntervalSinceReferenceDate: Double(plain.seconds))
        case 6: node.data = Data(plain.data)
        case 7: node.grade = plain.grade
        case 8: node.oldGrade = plain.oldGrade
        default: node.maybe = plain.maybe
        }
    }

    private mutating func setValue(_ tx: Transaction) throws {
        if random.percent(20), let number = random.element(numbers) {
            let text = "text \(random.number(0..<100))"
            try note(number, tx).text = text
            world.notes[number]?.text = text
            return
        }
        guard let (key, node) = try anyNode(tx), var plain = world.nodes[key] else { return }
        let new = randomNode()
        for _ in 0...random.number(0..<3) {
            let property = random.number(0..<10)
            Self.set(property, node, new)
            switch property {
            case 0: plain.label = new.label
            case 1: plain.small = new.small
            case 2: plain.ratio = new.ratio
            case 3: plain.weight = new.weight
            case 4: plain.isOn = new.isOn
            case 5: plain.seconds = new.seconds
            case 6: plain.data = new.data
            case 7: plain.grade = new.grade
            case 8: plain.oldGrade = new.oldGrade
            default: plain.maybe = new.maybe
            }
        }
        world.nodes[key] = plain
    }

    // MARK: Links

    /// Returns a stored node, or a new one that isn't stored yet; `nil` if all keys are taken.
    mutating func target(_ tx: Transaction) throws -> (key: Int, node: GraphNode)? {
        if random.percent(70), let found = try anyNode(tx) { return found }
        let free = (0..<14).filter { world.nodes[$0] == nil }
        guard let key = random.element(free) else { return nil }
        let plain = randomNode()
        let node = GraphNode()
        Self.fill(node, key, plain)
        world.put(key, plain)
        return (key, node)
    }

    mutating func noteTarget(_ tx: Transaction) throws -> (number: Int, note: GraphNote) {
        if random.percent(60), let number = random.element(numbers) {
            return (number, try note(number, tx))
        }
        let number = world.nextNote()
        let note = GraphNote()
        note.number = number
        note.text = "new"
        world.put(note: number, PlainNote(text: "new"))
        return (number, note)
    }

    private mutating func setLink(_ tx: Transaction) throws {
        let isNil = random.percent(25)
        if random.percent(25), let number = random.element(numbers) {
            let target = isNil ? nil : try target(tx)
            try note(number, tx).about = target?.node
            world.notes[number]?.about = target?.key
            return
        }
        guard let (key, node) = try anyNode(tx) else { return }
        if random.percent(30) {
            let target = isNil ? nil : try noteTarget(tx)
            node.note = target?.note
            world.nodes[key]?.note = target?.number
        } else {
            let target = isNil ? nil : try target(tx)
            node.next = target?.node
            world.nodes[key]?.next = target?.key
        }
    }

    // MARK: Violations

    /// Does something that fails the transaction, and changes nothing else.
    private mutating func violate(_ tx: Transaction) throws {
        guard let (key, node) = try anyNode(tx) else { return }
        switch random.number(0..<6) {
        case 0: node.date = Date(timeIntervalSinceReferenceDate: .nan)
        case 1: node.next = DerivedNode()
        case 2: node.nodes.insert(DerivedNode(), at: 0)
        case 3:
            let new = GraphNode()
            new.key = key  // taken
            new.date = Date(timeIntervalSinceReferenceDate: .nan)
            node.nodes.append(new)
        case 4:
            let gone = GraphNote()
            try tx.add(gone)
            tx.delete(gone)
            node.note = gone
        default:
            guard let box = node.box else { return }
            node.boxes.append(box)
        }
        isViolated = true
    }
}
