import RegnumSimulation

// Changes within what lies in a property: embedded objects, and the lists and dictionaries that values of any
// type are.

/// A step from a list or map to what lies in it.
enum AtlasStep: Hashable, Sendable {
    case at(Int)
    case key(AtlasBytes)
}

extension AtlasSlotEdit {
    /// The first step of a change within something, and the change that is left there; nil where it is at
    /// its place.
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
    /// Changes what a step leads to.
    mutating func change(_ step: AtlasStep, _ change: (inout AtlasValue) -> Void) {
        switch (self, step) {
        case (.list(var list), .at(let position)):
            change(&list[position])
            self = .list(list)
        case (.map(var map), .key(let key)):
            guard let position = map.firstIndex(where: { $0.key == key }) else {
                fatalError("Nothing has the key \(key).")
            }
            change(&map[position].value)
            self = .map(map)
        default: fatalError("\(step) leads nowhere in \(self).")
        }
    }

    /// What a stream of the property tells: of a value of any type what lies in it, of a dictionary the
    /// values.
    var streamed: AtlasState {
        guard case .value(let value) = self else { return self }
        return .list(value.nested?.values ?? [])
    }

    /// Where a step can lead to.
    var steps: [(step: AtlasStep, value: AtlasValue)] {
        switch self {
        case .value, .set: []
        case .list(let list): list.enumerated().map { (.at($0), $1) }
        case .map(let entries): entries.map { (.key($0.key), $0.value) }
        }
    }

    /// The embedded objects, lists and dictionaries in it, at any depth, with the steps that lead there.
    var insides: [(path: [AtlasStep], value: AtlasValue)] {
        if case .value(let value) = self { return value.insides }
        return steps.flatMap { step, value in
            value.insides.map { ([step] + $0.path, $0.value) }
        }
    }
}

extension AtlasValue {
    /// What a list or dictionary holds.
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
        case .value, .set: fatalError("\(state) is no value of any type.")
        }
    }

    fileprivate var insides: [(path: [AtlasStep], value: AtlasValue)] {
        if isBox { return [([], self)] }
        guard let nested else { return [] }
        return [([], self)] + nested.insides
    }

    /// A change within it.
    mutating func apply(_ edit: AtlasSlotEdit) {
        switch (self, edit) {
        case (.box(var box), .editBox([], let edit)):
            box.apply(edit)
            self = .box(box)
        case (_, .inside(_, let inner)):
            guard var state = nested else { fatalError("Nothing lies in \(self).") }
            if let (step, rest) = edit.descent {
                state.change(step) { $0.apply(rest) }
            } else {
                state.apply(inner)
            }
            self = AtlasValue(nested: state)
        default: fatalError("\(edit) is none of \(self).")
        }
    }

    /// The same where an object is deleted: links to it are nil.
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

    /// What it is after an update in its place: embedded objects are updated, dictionaries get the given
    /// entries in addition, and lists become the given ones, element by element.
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
