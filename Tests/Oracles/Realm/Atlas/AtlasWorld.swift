import RegnumSimulation

/// A class as the oracle models it.
struct AtlasClassShape: Sendable {
    let name: String
    let slots: [AtlasShape]

    /// Whether its objects can link to others.
    var canLink: Bool { slots.contains { $0.kind.canLink } }
}

/// All objects of a realm: the states of their properties, by class and number. The first class is
/// that of the nodes, to which links refer.
struct AtlasWorld: Sendable {
    let classes: [AtlasClassShape]
    /// The class with values of any type, if there is one; these can link to its own objects.
    let kin: Int?
    var objects: [[Int: [AtlasState]]]

    init(_ classes: [AtlasClassShape]) {
        self.classes = classes
        kin = classes.firstIndex { $0.slots.contains { $0.kind == .any } }
        objects = classes.map { _ in [:] }
    }

    /// Returns a link to an object; `nil` for classes that can't be linked to.
    func link(_ type: Int, _ number: Int) -> AtlasValue? {
        type == 0 ? .link(number) : type == kin ? .kin(number) : nil
    }

    /// Everything that a view of the realm has to show.
    var content: AtlasContent {
        AtlasContent(
            objects: objects,
            inverses: Dictionary(
                uniqueKeysWithValues: objects[0].keys.map { ($0, inverses(of: $0)) }))
    }

    /// The number of embedded objects of each class.
    var embeddedCounts: [String: Int] {
        var counts = ["AtlasBox": 0, "AtlasLid": 0, "AtlasPoint": 0, "AtlasBoard": 0]
        for value in objects[0].values.flatMap({ $0.flatMap(\.values) }) {
            switch value {
            case .box(let box):
                counts["AtlasBox", default: 0] += 1
                counts["AtlasLid", default: 0] += box.lid == nil ? 0 : 1
            case .spot: counts["AtlasPoint", default: 0] += 1
            case .sign(_, let spot):
                counts["AtlasBoard", default: 0] += 1
                counts["AtlasPoint", default: 0] += spot == .null ? 0 : 1
            default: break
            }
        }
        return counts
    }

    /// Returns the numbers of the nodes that have a node in their link, list, set and map,
    /// ascending, each as often as it does; then the sizes of the boxes that link to it, ascending;
    /// then its own number for each box that it owns.
    private func inverses(of number: Int) -> [[Int]] {
        var result: [[Int]] = Array(repeating: [], count: 6)
        for (origin, states) in objects[0] {
            for (slot, state) in zip(classes[0].slots, states) where slot.kind == .link {
                switch state {
                case .value(let value):
                    if value == .link(number) { result[0].append(origin) }
                case .list(let list):
                    let times = list.count { $0 == .link(number) }
                    result[1] += Array(repeating: origin, count: times)
                case .set(let set):
                    if set.contains(.link(number)) { result[2].append(origin) }
                case .map(let entries):
                    let times = entries.count { $0.value == .link(number) }
                    result[3] += Array(repeating: origin, count: times)
                }
            }
        }
        for (owner, states) in objects[0] {
            for case .box(let box) in states.flatMap(\.values) {
                if box.node == number { result[4].append(box.size) }
                if owner == number { result[5].append(number) }
            }
        }
        return result.map { $0.sorted() }
    }
}

extension AtlasState {
    /// All values in it, in order.
    var values: [AtlasValue] {
        switch self {
        case .value(let value): [value]
        case .list(let list): list
        case .set(let set): set
        case .map(let entries): entries.map(\.value)
        }
    }

    /// Returns the state after an object was deleted. It is removed from lists and sets of links;
    /// elsewhere the link is nil, except in sets, whose order has no place for it.
    func without(_ link: AtlasValue, _ kind: AtlasKind) -> AtlasState {
        switch self {
        case .value(let value): return .value(value.without(link))
        case .list(let list):
            let kept = kind == .link ? list.filter { $0 != link } : list
            return .list(kept.map { $0.without(link) })
        case .set(let set): return .set(set.filter { $0 != link })
        case .map(let entries):
            return .map(entries.map { AtlasEntry(key: $0.key, value: $0.value.without(link)) })
        }
    }
}

/// The content shown by a view of a realm.
struct AtlasContent: Hashable, Sendable {
    var objects: [[Int: [AtlasState]]]
    /// Of the nodes, by number.
    var inverses: [Int: [[Int]]]

    /// Throws the differences if another view shows something else.
    func check(_ found: AtlasContent, _ view: String, _ classes: [AtlasClassShape]) throws {
        if self == found { return }
        var lines = ["the \(view) view differs:"]
        for (number, shape) in classes.enumerated() {
            let (mine, theirs) = (objects[number], found.objects[number])
            for key in Set(mine.keys).union(theirs.keys).sorted() where mine[key] != theirs[key] {
                guard let expected = mine[key], let seen = theirs[key] else {
                    let what = mine[key] == nil ? "exists" : "is missing"
                    lines.append("\(shape.name) \(key) \(what)")
                    continue
                }
                for (slot, (a, b)) in zip(shape.slots, zip(expected, seen)) where a != b {
                    lines.append("\(shape.name) \(key).\(slot.name): \(b) instead of \(a)")
                }
            }
        }
        for (key, lists) in inverses where found.inverses[key] != lists {
            let seen = found.inverses[key].map { "\($0)" } ?? "none"
            lines.append("inverses of node \(key): \(seen) instead of \(lists)")
        }
        throw AtlasFailure(lines.joined(separator: "\n"))
    }
}

/// A difference between the library and the oracle.
struct AtlasFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
