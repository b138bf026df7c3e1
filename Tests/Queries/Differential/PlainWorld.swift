import RegnumTestSupport

/// An object outside the database. References are the ids of nodes, or numbers of parts.
struct PlainObject: Sendable {
    let isPart: Bool
    var values = Array(repeating: PlainValue.null, count: PlainProperty.allCases.count)
    var next: Int?
    var part: Int?
    var target: Int?
    /// What a part stores as a point.
    var point = PlainPoint()
    var nodes: [Int] = []
    var parts: [Int] = []
    var lists = Array(repeating: PlainElements(), count: PlainList.allCases.count)

    subscript(property: PlainProperty) -> PlainValue {
        get { values[property.rawValue] }
        set { values[property.rawValue] = newValue }
    }

    subscript(list: PlainList) -> PlainElements {
        get { lists[list.rawValue] }
        set { lists[list.rawValue] = newValue }
    }
}

/// The content of a realm, in plain Swift.
struct PlainWorld: Sendable {
    /// Nodes by id, and parts by number.
    private(set) var objects: [Int: PlainObject] = [:]
    /// The ids of the nodes in order of creation.
    private(set) var nodes: [Int] = []
    private var fans: [Int: [Int]] = [:]
    private var holders: [Int: [Int]] = [:]
    private var partCount = 0
    /// Greater than the ids of all nodes that ever existed: results of a deleted node's list must
    /// not become those of another node.
    private(set) var nextID = 0

    init(nodeCount: Int, _ random: inout SeededRandom) {
        for id in 0..<nodeCount { add(id, &random) }
        for id in nodes { fill(id, &random) }
        findInverses()
    }

    func object(_ reference: Int) -> PlainObject? { objects[reference] }

    /// Returns the targets of a step, each as often as it occurs.
    func targets(_ reference: Int, _ hop: PlainHop) -> [Int] {
        guard let object = objects[reference] else { return [] }
        switch hop {
        case .next: return object.next.map { [$0] } ?? []
        case .part: return object.part.map { [$0] } ?? []
        case .target: return object.target.map { [$0] } ?? []
        case .nodes: return object.nodes
        case .parts: return object.parts
        case .fans: return fans[reference] ?? []
        case .holders: return holders[reference] ?? []
        }
    }

    // MARK: Changes

    /// Adds a node without links.
    mutating func add(_ id: Int, _ random: inout SeededRandom) {
        var node = PlainObject(isPart: false)
        for property in PlainProperty.ofNodes { node[property] = property.sample(&random) }
        for list in PlainList.allCases {
            node[list] = list.sample(&random)
        }
        objects[id] = node
        nodes.append(id)
        nextID = max(nextID, id + 1)
    }

    /// Assigns links, lists and parts to a node.
    private mutating func fill(_ id: Int, _ random: inout SeededRandom) {
        guard var node = objects[id] else { return }
        node.next = randomNode(&random, nilShare: 3)
        if Bool.random(using: &random) { node.part = makePart(&random) }
        let count = [0, 0, 1, 2, 3, 5].randomElement(using: &random) ?? 0
        node.nodes = (0..<count).compactMap { _ in randomNode(&random, nilShare: 0) }
        let partCount = [0, 0, 1, 2].randomElement(using: &random) ?? 0
        node.parts = (0..<partCount).map { _ in makePart(&random) }
        if Int.random(in: 0..<6, using: &random) == 0, let target = randomNode(&random, nilShare: 0)
        {
            node[.any] = .any(.node(target))
        }
        objects[id] = node
    }

    private mutating func makePart(_ random: inout SeededRandom) -> Int {
        var part = PlainObject(isPart: true)
        for property in PlainProperty.ofParts { part[property] = property.sample(&random) }
        part.target = randomNode(&random, nilShare: 2)
        part.point = PlainPoint.sample(&random)
        partCount += 1
        let number = 1_000_000 + partCount
        objects[number] = part
        return number
    }

    /// Returns a node, or with a probability of one in `nilShare` none.
    func randomNode(_ random: inout SeededRandom, nilShare: Int) -> Int? {
        if nilShare > 0, Int.random(in: 0..<nilShare, using: &random) == 0 { return nil }
        return nodes.randomElement(using: &random)
    }

    mutating func set(_ id: Int, _ property: PlainProperty, _ value: PlainValue) {
        objects[id]?[property] = value
    }

    mutating func setNext(_ id: Int, _ target: Int?) {
        objects[id]?.next = target
        findInverses()
    }

    mutating func setNodes(_ id: Int, _ nodes: [Int]) {
        objects[id]?.nodes = nodes
        findInverses()
    }

    mutating func set(_ id: Int, _ list: PlainList, _ elements: PlainElements) {
        objects[id]?[list] = elements
    }

    /// Deletes a node, its parts, and all links to it.
    mutating func delete(_ id: Int) {
        guard let node = objects[id] else { return }
        for part in node.parts + (node.part.map { [$0] } ?? []) { objects[part] = nil }
        objects[id] = nil
        nodes.removeAll { $0 == id }
        for key in objects.keys {
            if objects[key]?.next == id { objects[key]?.next = nil }
            if case .any(.node(id)) = objects[key]?[.any] { objects[key]?[.any] = .null }
            if objects[key]?.target == id { objects[key]?.target = nil }
            objects[key]?.nodes.removeAll { $0 == id }
        }
        findInverses()
    }

    private mutating func findInverses() {
        fans = [:]
        holders = [:]
        for id in nodes {
            if let next = objects[id]?.next { fans[next, default: []].append(id) }
            for node in objects[id]?.nodes ?? [] { holders[node, default: []].append(id) }
        }
    }
}
