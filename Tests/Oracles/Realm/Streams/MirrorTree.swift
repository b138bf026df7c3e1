import Regnum
import RegnumSimulation
import RegnumTestSupport

// Values of any type: the elements of lists and dictionaries have an identity.

indirect enum MirrorTree: Sendable {
    case none
    case int(Int)
    case text(String)
    /// The serial of a toy.
    case toy(Int)
    case list([MirrorNode])
    /// In the order of the keys.
    case dictionary([MirrorNode])

    var nodes: [MirrorNode] {
        switch self {
        case .list(let nodes), .dictionary(let nodes): nodes
        default: []
        }
    }

    var isDictionary: Bool { if case .dictionary = self { true } else { false } }

    /// Returns the same tree with other nodes.
    func with(_ nodes: [MirrorNode]) -> MirrorTree {
        isDictionary ? .dictionary(nodes) : .list(nodes)
    }

    /// The whole tree as a value that can be compared.
    var flat: MirrorValue { .text(text) }

    private var text: String {
        switch self {
        case .none: "none"
        case .int(let number): "int \(number)"
        case .text(let text): "text \(text)"
        case .toy(let serial): "toy \(serial)"
        case .list(let nodes): "[\(nodes.map(\.tree.text).joined(separator: ", "))]"
        case .dictionary(let nodes):
            "{\(nodes.map { "\($0.key): \($0.tree.text)" }.joined(separator: ", "))}"
        }
    }

    /// All nodes, at any depth.
    var all: [MirrorNode] { nodes.flatMap { [$0] + $0.tree.all } }

    /// Nulls the links to a toy and returns whether there were any; `set` receives the enclosing
    /// nodes.
    mutating func forget(_ toy: Int, _ set: inout Set<Int>) -> Bool {
        if case .toy(toy) = self {
            self = .none
            return true
        }
        var nodes = nodes
        var isHit = false
        for index in nodes.indices where nodes[index].tree.forget(toy, &set) {
            set.insert(nodes[index].identity)
            isHit = true
        }
        if isHit { self = with(nodes) }
        return isHit
    }

    /// Returns the tree at a path; `nil` if the path doesn't exist.
    func at(_ path: ArraySlice<StreamNoteStep>) -> MirrorTree? {
        guard let step = path.first else { return self }
        let node: MirrorNode? =
            switch (step, self) {
            case (.position(let position), .list(let nodes)):
                position < nodes.count ? nodes[position] : nil
            case (.key(let key), .dictionary(let nodes)): nodes.first { $0.key == key }
            default: nil
            }
        return node?.tree.at(path.dropFirst())
    }

    /// Changes the tree at an existing path; `set` receives the nodes along it.
    mutating func change(
        _ path: ArraySlice<StreamNoteStep>, _ set: inout Set<Int>,
        _ change: (inout MirrorTree) -> Void
    ) {
        guard let step = path.first else { return change(&self) }
        var nodes = nodes
        let index = nodes.indices.first { index in
            switch step {
            case .position(let position): position == index
            case .key(let key): nodes[index].key == key
            }
        }
        guard let index else { return }
        nodes[index].tree.change(path.dropFirst(), &set, change)
        set.insert(nodes[index].identity)
        self = with(nodes)
    }
}

/// An element of a list, or an entry of a dictionary with its key.
struct MirrorNode: Sendable {
    let identity: Int
    var key = ""
    var tree: MirrorTree
}

enum StreamNoteStep: Hashable, Sendable {
    case position(Int)
    case key(String)
}

/// An edit at a path within a value of any type.
struct StreamNoteEdit: Sendable {
    enum Action: Sendable {
        /// Replaces the value.
        case set(MirrorTree)
        /// Inserts into the list or dictionary at the path.
        case insert(MirrorTree, at: StreamNoteStep)
        case remove(StreamNoteStep)
    }

    let path: [StreamNoteStep]
    let action: Action
}

extension MirrorWorld {
    mutating func make(
        _ edit: StreamNoteEdit, _ serial: Int, _ property: Int, _ commit: inout MirrorCommit
    ) {
        guard let row = self[serial], case .tree(var tree) = row.cells[property] else { return }
        commit.set[serial, default: []].insert(property)
        tree.change(edit.path[...], &commit.slotsSet) { place in
            var nodes = place.nodes
            switch edit.action {
            case .set(let value):
                place = value
                return
            case .insert(let value, at: .position(let position)):
                nodes.insert(MirrorNode(identity: newIdentity(), tree: value), at: position)
            case .insert(let value, at: .key(let key)):
                let node = MirrorNode(identity: newIdentity(), key: key, tree: value)
                let next = nodes.firstIndex { key.utf8.lexicographicallyPrecedes($0.key.utf8) }
                nodes.insert(node, at: next ?? nodes.count)
            case .remove(.position(let position)): nodes.remove(at: position)
            case .remove(.key(let key)): nodes.removeAll { $0.key == key }
            }
            place = place.with(nodes)
        }
        put(.tree(tree), serial, property)
    }
}

extension StreamDraw {
    static let noteKeys = ["", "k", "x", "\u{e9}"]

    /// Draws an edit of a value of any type.
    mutating func noteEdit(_ row: MirrorRow, _ property: Int) -> StreamNoteEdit? {
        guard case .tree(var tree) = row.cells[property] else { return nil }
        var path: [StreamNoteStep] = []
        while let index = tree.nodes.indices.randomElement(using: &random), !random.oneIn(3) {
            let node = tree.nodes[index]
            path.append(tree.isDictionary ? .key(node.key) : .position(index))
            tree = node.tree
        }
        let places = tree.nodes.indices.map { index -> StreamNoteStep in
            tree.isDictionary ? .key(tree.nodes[index].key) : .position(index)
        }
        switch tree {
        case .list where !random.oneIn(4):
            if let place = random.pick(places), random.oneIn(3) {
                return StreamNoteEdit(path: path, action: .remove(place))
            }
            let place = StreamNoteStep.position(random.below(places.count + 1))
            return StreamNoteEdit(path: path, action: .insert(note(1), at: place))
        case .dictionary where !random.oneIn(4):
            let key = Self.noteKeys[random.below(4)]
            if places.contains(.key(key)) {
                let action = StreamNoteEdit.Action.remove(.key(key))
                return StreamNoteEdit(path: path, action: action)
            }
            return StreamNoteEdit(path: path, action: .insert(note(1), at: .key(key)))
        default: return StreamNoteEdit(path: path, action: .set(note(2)))
        }
    }

    private mutating func note(_ depth: Int) -> MirrorTree {
        switch random.below(depth > 0 ? 8 : 4) {
        case 0: return .none
        case 1: return .int(random.below(3))
        case 2: return .text(["a", "b", "\u{e9}"][random.below(3)])
        case 3: return random.pick(world.serials(.toy)).map { .toy($0) } ?? .none
        case 4, 5, 6:
            return .list(
                (0..<random.below(4)).map { _ in
                    MirrorNode(identity: world.newIdentity(), tree: note(depth - 1))
                })
        default:
            let keys = Self.noteKeys.filter { _ in random.oneIn(2) }
            return .dictionary(
                keys.map { key in
                    MirrorNode(identity: world.newIdentity(), key: key, tree: note(depth - 1))
                })
        }
    }
}

extension StreamWriter {
    /// Applies an edit to the any-typed value of a dog.
    func note(_ edit: StreamNoteEdit, of dog: StreamDog) {
        guard case .set(let tree) = edit.action, let last = edit.path.last else {
            if case .set(let tree) = edit.action {
                dog.note = value(tree)
            } else {
                change(place(edit.path[...], dog.note), edit.action)
            }
            return
        }
        // An element or entry is set in its collection.
        switch (last, place(edit.path.dropLast(), dog.note)) {
        case (.position(let position), .list(let list)): list[position] = value(tree)
        case (.key(let key), .dictionary(let map)): map[key] = value(tree)
        default: fatalError("\(edit) has an invalid path")
        }
    }

    private func place(
        _ path: ArraySlice<StreamNoteStep>, _ value: AnyRealmValue
    ) -> AnyRealmValue {
        switch (path.first, value) {
        case (nil, _): value
        case (.position(let position), .list(let list)): place(path.dropFirst(), list[position])
        case (.key(let key), .dictionary(let map)): place(path.dropFirst(), map[key] ?? .none)
        default: fatalError("\(path) is invalid")
        }
    }

    private func change(_ place: AnyRealmValue, _ action: StreamNoteEdit.Action) {
        switch (action, place) {
        case (.insert(let tree, at: .position(let position)), .list(let list)):
            list.insert(value(tree), at: position)
        case (.insert(let tree, at: .key(let key)), .dictionary(let map)):
            map[key] = value(tree)
        case (.remove(.position(let position)), .list(let list)): list.remove(at: position)
        case (.remove(.key(let key)), .dictionary(let map)): map.removeObject(for: key)
        default: fatalError("\(action) can't be applied to \(place)")
        }
    }

    private func value(_ tree: MirrorTree) -> AnyRealmValue {
        switch tree {
        case .none: .none
        case .int(let number): .int(number)
        case .text(let text): .string(text)
        case .toy(let serial): .object(toy(serial))
        case .list(let nodes): .fromArray(nodes.map { value($0.tree) })
        case .dictionary(let nodes):
            .fromDictionary(
                Dictionary(uniqueKeysWithValues: nodes.map { ($0.key, value($0.tree)) }))
        }
    }
}

extension FrozenAnyValue {
    /// The value as the oracle has it, without identities.
    var mirrorTree: MirrorTree {
        switch self {
        case .int(let number): .int(number)
        case .string(let text): .text(text)
        case .object(let object): object.object(StreamToy.self).map { .toy($0.serial) } ?? .none
        case .list(let values):
            .list(values.map { MirrorNode(identity: 0, tree: $0.mirrorTree) })
        case .dictionary(let values):
            .dictionary(
                values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                    .map { MirrorNode(identity: 0, key: $0.key, tree: $0.value.mirrorTree) })
        default: .none
        }
    }
}
