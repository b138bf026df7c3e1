import RegnumTestSupport

/// The expected content of the `RuleNode`s, in plain Swift: the oracle of the delete rules.
struct RuleModel: Equatable {
    /// A property that links to nodes, with its delete rule.
    enum Property: String, CaseIterable {
        case plain, child, needs
        case plainList, children, needsList
        case group, needsSet
        case plainMap, named, needsMap
        case holds

        var isCascade: Bool {
            switch self {
            case .child, .children, .group, .named: true
            default: false
            }
        }

        var isDenial: Bool {
            switch self {
            case .needs, .needsList, .needsSet, .needsMap, .holds: true
            default: false
            }
        }
    }

    struct Node: Equatable {
        /// The targets of `plain`, `child`, `needs`, and of the embedded object's `holds`.
        var links: [Property: Int] = [:]
        var lists: [Property: [Int]] = [.plainList: [], .children: [], .needsList: []]
        var sets: [Property: Set<Int>] = [.group: [], .needsSet: []]
        /// Keys whose node was deleted stay, with `nil`.
        var maps: [Property: [String: Int?]] = [.plainMap: [:], .named: [:], .needsMap: [:]]
        var hasPart = false

        func targets(_ property: Property) -> Set<Int> {
            var targets = Set(lists[property] ?? []).union(sets[property] ?? [])
            targets.formUnion((maps[property] ?? [:]).values.compactMap(\.self))
            if let link = links[property] { targets.insert(link) }
            return targets
        }

        mutating func lose(_ gone: Set<Int>) {
            links = links.filter { !gone.contains($0.value) }
            lists = lists.mapValues { $0.filter { !gone.contains($0) } }
            sets = sets.mapValues { $0.subtracting(gone) }
            maps = maps.mapValues { map in
                map.mapValues { target in target.flatMap { gone.contains($0) ? nil : $0 } }
            }
        }
    }

    var nodes: [Int: Node] = [:]

    /// Returns the nodes that are deleted together with these.
    func deletion(_ numbers: Set<Int>) -> Set<Int> {
        var gone = numbers
        while true {
            let more = gone.reduce(into: gone) { more, number in
                for property in Property.allCases where property.isCascade {
                    more.formUnion(nodes[number]?.targets(property) ?? [])
                }
            }
            if more == gone { return gone }
            gone = more
        }
    }

    /// Returns the properties of remaining nodes that prevent these from being deleted.
    func denials(_ gone: Set<Int>) -> [Denial] {
        nodes.filter { !gone.contains($0.key) }.flatMap { number, node in
            Property.allCases
                .filter { $0.isDenial && !node.targets($0).isDisjoint(with: gone) }
                .map { Denial(number: number, property: $0) }
        }
    }

    struct Denial {
        let number: Int
        let property: Property
    }

    mutating func change(_ number: Int, _ property: Property, _ target: Int?) {
        switch property {
        case .plain, .child, .needs: nodes[number]?.links[property] = target
        case .holds:
            nodes[number]?.links[property] = target
            nodes[number]?.hasPart = target != nil || !Self.losesPart(number)
        case .plainList, .children, .needsList:
            let list = nodes[number]?.lists[property] ?? []
            nodes[number]?.lists[property] = target.map { list + [$0] } ?? []
        case .group, .needsSet:
            let set = nodes[number]?.sets[property] ?? []
            nodes[number]?.sets[property] = target.map { set.union([$0]) } ?? []
        case .plainMap, .named, .needsMap:
            nodes[number]?.maps[property]?[Self.key(number)] = .some(target)
        }
    }

    /// Whether a node without a value for `holds` has no part at all.
    static func losesPart(_ number: Int) -> Bool { number % 2 == 0 }

    /// Returns the key that a change sets in a node's maps.
    static func key(_ number: Int) -> String { "\(number % 3)" }

    mutating func delete(_ gone: Set<Int>) {
        for number in gone { nodes[number] = nil }
        for number in nodes.keys { nodes[number]?.lose(gone) }
    }
}
