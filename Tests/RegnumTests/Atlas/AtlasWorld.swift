/// A class, as the oracle knows it.
struct AtlasClassShape: Sendable {
    let name: String
    let slots: [AtlasShape]
}

/// All objects of a realm: by class and number, the states of their properties. The first class is that of
/// the nodes, to which links lead.
struct AtlasWorld: Sendable {
    let classes: [AtlasClassShape]
    var objects: [[Int: [AtlasState]]]

    init(_ classes: [AtlasClassShape]) {
        self.classes = classes
        objects = classes.map { _ in [:] }
    }

    /// All that a view of the realm has to tell.
    var content: AtlasContent {
        AtlasContent(
            objects: objects,
            inverses: Dictionary(
                uniqueKeysWithValues: objects[0].keys.map { ($0, inverses(of: $0)) }))
    }

    /// The numbers of the nodes whose link, list and set have a node, ascending, each as often as it does;
    /// and the sizes of the boxes that link to it, ascending.
    private func inverses(of number: Int) -> [[Int]] {
        var result: [[Int]] = [[], [], [], []]
        for (origin, states) in objects[0] {
            for (slot, state) in zip(classes[0].slots, states) {
                switch (slot.kind, state) {
                case (.link, .value(let value)):
                    if value == .link(number) { result[0].append(origin) }
                case (.link, .list(let list)):
                    let times = list.count { $0 == .link(number) }
                    result[1] += Array(repeating: origin, count: times)
                case (.link, .set(let set)):
                    if set.contains(.link(number)) { result[2].append(origin) }
                default: break
                }
            }
        }
        for box in boxes where box.node == number { result[3].append(box.size) }
        return result.map { $0.sorted() }
    }

    private var boxes: [AtlasBoxValue] {
        objects[0].values.flatMap { $0.flatMap(\.values) }.compactMap {
            if case .box(let box) = $0 { box } else { nil }
        }
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

    /// What is left where a node is deleted.
    func without(node number: Int) -> AtlasState {
        func cleared(_ value: AtlasValue) -> AtlasValue {
            if value == .link(number) { return .null }
            guard case .box(var box) = value, box.node == number else { return value }
            box.node = nil
            return .box(box)
        }
        switch self {
        case .value(let value): return .value(cleared(value))
        case .list(let list):
            return .list(list.filter { $0 != .link(number) }.map(cleared))
        case .set(let set): return .set(set.filter { $0 != .link(number) })
        case .map(let entries):
            return .map(entries.map { AtlasEntry(key: $0.key, value: cleared($0.value)) })
        }
    }
}

/// What a view of a realm tells.
struct AtlasContent: Hashable, Sendable {
    var objects: [[Int: [AtlasState]]]
    /// Of the nodes, by number.
    var inverses: [Int: [[Int]]]

    /// Throws what differs, if another view does not tell the same.
    func check(_ found: AtlasContent, _ view: String, _ classes: [AtlasClassShape]) throws {
        if self == found { return }
        var lines = ["the \(view) view differs:"]
        for (number, shape) in classes.enumerated() {
            let (mine, theirs) = (objects[number], found.objects[number])
            for key in Set(mine.keys).union(theirs.keys).sorted() where mine[key] != theirs[key] {
                guard let expected = mine[key], let seen = theirs[key] else {
                    let what = mine[key] == nil ? "is there" : "is missing"
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

/// Something that is not as it must be.
struct AtlasFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
