import RegnumSimulation

// Changes within the value of a property: in embedded objects, and in the lists and dictionaries of
// values of any type.

/// A step from a list or map to one of its values.
enum AtlasStep: Hashable, Sendable {
    case at(Int)
    case key(AtlasBytes)
}

extension AtlasSlotEdit {
    /// The first step of a nested change, and the change that remains after it; `nil` if the change
    /// applies here.
    var descent: (step: AtlasStep, rest: AtlasSlotEdit)? {
        switch self {
        case .editBox(let path, let edit):
            path.first.map { ($0, .editBox(Array(path.dropFirst()), edit)) }
        case .inside(let path, let edit):
            path.first.map { ($0, .inside(Array(path.dropFirst()), edit)) }
        default: nil
        }
    }
}

extension AtlasState {
    /// Changes the value that a step leads to.
    mutating func change(_ step: AtlasStep, _ change: (inout AtlasValue) -> Void) {
        switch (self, step) {
        case (.list(var list), .at(let position)):
            change(&list[position])
            self = .list(list)
        case (.map(var map), .key(let key)):
            guard let position = map.firstIndex(where: { $0.key == key }) else {
                fatalError("There is no value for the key \(key).")
            }
            change(&map[position].value)
            self = .map(map)
        default: fatalError("\(step) doesn't exist in \(self).")
        }
    }

    /// What a stream of the property reports: the contents of a value of any type; for a
    /// dictionary, its values.
    var streamed: AtlasState {
        guard case .value(let value) = self else { return self }
        return .list(value.nested?.values ?? [])
    }

    /// The possible steps, with the values that they lead to.
    var steps: [(step: AtlasStep, value: AtlasValue)] {
        switch self {
        case .value, .set: []
        case .list(let list): list.enumerated().map { (.at($0), $1) }
        case .map(let entries): entries.map { (.key($0.key), $0.value) }
        }
    }

    /// The embedded objects, lists and dictionaries in it, at any depth, with the paths that lead
    /// there.
    var insides: [(path: [AtlasStep], value: AtlasValue)] {
        if case .value(let value) = self { return value.insides }
        return steps.flatMap { step, value in
            value.insides.map { ([step] + $0.path, $0.value) }
        }
    }
}

extension AtlasValue {
    /// The contents of a list or dictionary.
    var nested: AtlasState? {
        switch self {
        case .items(let items): .list(items)
        case .entries(let entries): .map(entries)
        default: nil
        }
    }

    private init(nested state: AtlasState) {
        switch state {
        case .list(let items): self = .items(items)
        case .map(let entries): self = .entries(entries)
        case .value, .set: fatalError("\(state) is not a value of any type.")
        }
    }

    fileprivate var insides: [(path: [AtlasStep], value: AtlasValue)] {
        if isBox { return [([], self)] }
        guard let nested else { return [] }
        return [([], self)] + nested.insides
    }

    /// Applies a change within the value.
    mutating func apply(_ edit: AtlasSlotEdit) {
        switch (self, edit) {
        case (.box(var box), .editBox([], let edit)):
            box.apply(edit)
            self = .box(box)
        case (_, .inside(_, let inner)):
            guard var state = nested else { fatalError("\(self) has no contents.") }
            if let (step, rest) = edit.descent {
                state.change(step) { $0.apply(rest) }
            } else {
                state.apply(inner)
            }
            self = AtlasValue(nested: state)
        default: fatalError("\(edit) can't be applied to \(self).")
        }
    }

    /// Returns the state after an object was deleted: links to it are nil.
    func without(_ link: AtlasValue) -> AtlasValue {
        switch self {
        case link: return .null
        case .box(var box):
            if .link(box.node ?? .min) == link { box.node = nil }
            box.content = box.content.without(link)
            return .box(box)
        case .items(let items): return .items(items.map { $0.without(link) })
        case .entries(let entries):
            return .entries(
                entries.map { AtlasEntry(key: $0.key, value: $0.value.without(link)) })
        default: return self
        }
    }

    /// Returns the value after an update in place: embedded objects are updated, the given entries
    /// are added to dictionaries, and lists become the given ones, element by element.
    func updated(with new: AtlasValue) -> AtlasValue {
        switch (self, new) {
        case (.box(let before), .box(let after)): .box(before.updated(with: after))
        case (.items, .items), (.entries, .entries):
            if let before = nested, let after = new.nested {
                AtlasValue(nested: before.updated(with: after))
            } else {
                new
            }
        default: new
        }
    }
}
