import RegnumSimulation

/// The value of a property.
enum AtlasState: Hashable, Sendable {
    case value(AtlasValue)
    case list([AtlasValue])
    /// Ascending.
    case set([AtlasValue])
    /// By ascending keys.
    case map([AtlasEntry])
}

enum AtlasContainer: Hashable, Sendable {
    case value, list, set, map
}

/// A property as the oracle models it.
struct AtlasShape: Hashable, Sendable {
    let name: String
    let kind: AtlasKind
    let container: AtlasContainer
    let isOptional: Bool
    /// The maximum nesting depth of lists and dictionaries in values of any type.
    var depth = 0

    var emptyState: AtlasState {
        switch container {
        case .value: .value(.null)
        case .list: .list([])
        case .set: .set([])
        case .map: .map([])
        }
    }
}

/// A change of a property.
enum AtlasSlotEdit: Hashable, Sendable {
    case set(AtlasValue)
    case insert([AtlasValue], at: Int)
    case replace(at: Int, AtlasValue)
    case remove(Range<Int>)
    case move(from: Int, to: Int)
    case swap(Int, Int)
    case assign([AtlasValue])
    case removeAll
    case insertMember(AtlasValue)
    case removeMember(AtlasValue)
    case unite([AtlasValue])
    case intersect([AtlasValue])
    case subtract([AtlasValue])
    case put(AtlasBytes, AtlasValue)
    case removeKey(AtlasBytes)
    case assignEntries([AtlasEntry])
    case merge([AtlasEntry])
    /// Changes the embedded object to which the steps lead.
    case editBox([AtlasStep], AtlasBoxEdit)
    /// Changes the list or dictionary to which the steps lead.
    indirect case inside([AtlasStep], AtlasSlotEdit)
}

/// A change inside an embedded object.
enum AtlasBoxEdit: Hashable, Sendable {
    case size(Int)
    case text(AtlasBytes)
    case mark(Int)
    case color(Int)
    case pair(AtlasBytes, Int?)
    case node(Int?)
    case lid(AtlasBytes?)
    /// Changes the embedded object's own embedded object, if it has one.
    case lidText(AtlasBytes)
    case content(AtlasValue)
}

extension AtlasState {
    mutating func apply(_ edit: AtlasSlotEdit) {
        if let (step, rest) = edit.descent, !isSingle {
            return change(step) { $0.apply(rest) }
        }
        switch (self, edit) {
        case (.value, .set(let value)): self = .value(value)
        case (.value(var value), _):
            value.apply(edit)
            self = .value(value)
        case (.list(var list), _):
            Self.apply(edit, to: &list)
            self = .list(list)
        case (.set(var set), _):
            Self.apply(edit, toSet: &set)
            self = .set(set)
        case (.map(var map), _):
            Self.apply(edit, toMap: &map)
            self = .map(map)
        }
    }

    private var isSingle: Bool { if case .value = self { true } else { false } }

    private static func apply(_ edit: AtlasSlotEdit, to list: inout [AtlasValue]) {
        switch edit {
        case .insert(let values, let position): list.insert(contentsOf: values, at: position)
        case .replace(let position, let value): list[position] = value
        case .remove(let range): list.removeSubrange(range)
        case .move(let from, let to): list.insert(list.remove(at: from), at: to)
        case .swap(let first, let second): list.swapAt(first, second)
        case .assign(let values): list = values
        case .removeAll: list = []
        default: fatalError("\(edit) can't be applied to a list.")
        }
    }

    private static func apply(_ edit: AtlasSlotEdit, toSet set: inout [AtlasValue]) {
        func has(_ values: [AtlasValue], _ value: AtlasValue) -> Bool {
            values.contains { AtlasValue.areSame($0, value) }
        }
        switch edit {
        case .insertMember(let value): insert([value], into: &set)
        case .unite(let values): insert(values, into: &set)
        case .removeMember(let value): set.removeAll { AtlasValue.areSame($0, value) }
        case .subtract(let values): set.removeAll { has(values, $0) }
        case .intersect(let values): set.removeAll { !has(values, $0) }
        case .assign(let values):
            // Existing elements stay as they are.
            set.removeAll { !has(values, $0) }
            insert(values, into: &set)
        case .removeAll: set = []
        default: fatalError("\(edit) can't be applied to a set.")
        }
    }

    private static func insert(_ values: [AtlasValue], into set: inout [AtlasValue]) {
        for value in values {
            let position = set.firstIndex { !AtlasValue.precedes($0, value) } ?? set.count
            if position < set.count, AtlasValue.areSame(set[position], value) { continue }
            set.insert(value, at: position)
        }
    }

    private static func apply(_ edit: AtlasSlotEdit, toMap map: inout [AtlasEntry]) {
        switch edit {
        case .put(let key, let value): put(AtlasEntry(key: key, value: value), into: &map)
        case .removeKey(let key): map.removeAll { $0.key == key }
        case .merge(let entries): for entry in entries { put(entry, into: &map) }
        case .assignEntries(let entries):
            map = []
            for entry in entries { put(entry, into: &map) }
        case .removeAll: map = []
        default: fatalError("\(edit) can't be applied to a map.")
        }
    }

    private static func put(_ entry: AtlasEntry, into map: inout [AtlasEntry]) {
        let position = map.firstIndex { $0.key >= entry.key } ?? map.count
        if position < map.count, map[position].key == entry.key {
            map[position] = entry
        } else {
            map.insert(entry, at: position)
        }
    }
}

extension AtlasBoxValue {
    mutating func apply(_ edit: AtlasBoxEdit) {
        switch edit {
        case .size(let size): self.size = size
        case .text(let text): self.text = text
        case .mark(let mark): marks.append(mark)
        case .color(let color): colors = Set(colors + [color]).sorted()
        case .pair(let key, let value):
            var map = AtlasState.map(pairs)
            map.apply(value.map { .put(key, .int($0)) } ?? .removeKey(key))
            if case .map(let entries) = map { pairs = entries }
        case .node(let number): node = number
        case .lid(let text): lid = text
        case .lidText(let text): if lid != nil { lid = text }
        case .content(let value): content = value
        }
    }
}
