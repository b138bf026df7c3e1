import RegnumSimulation

/// A step of a random transaction: drawn on the plain world, and applied there and to the realm.
indirect enum StreamEdit: Sendable {
    case add(MirrorClass, serial: Int, values: [Int: MirrorValue])
    case set(Int, Int, MirrorValue)
    case link(Int, Int, Int?)
    /// A new embedded object in the link, list or map of an owner: at a position of a list, or
    /// under a key of a map.
    case box(
        owner: Int, property: Int, at: Int, key: String, serial: Int, size: Int, toy: Int?)
    /// A property of an embedded object.
    case setBox(owner: Int, serial: Int, property: Int, MirrorValue)
    case list(Int, Int, StreamListEdit)
    case members(Int, Int, StreamSetEdit)
    case entries(Int, Int, StreamMapEdit)
    /// An edit of the any-typed value of a dog.
    case note(Int, StreamNoteEdit)
    case delete(Int)
    /// `create` with an update policy. The serial is that of the existing row, or a new one.
    case upsert(MirrorClass, serial: Int, isNew: Bool, values: [Int: MirrorValue], isAll: Bool)
    /// A savepoint that fails.
    case savepoint([StreamEdit])
}

enum StreamListEdit: Sendable {
    case insert([MirrorValue], at: Int)
    case append(MirrorValue)
    case remove(Range<Int>)
    case move(from: Int, to: Int)
    case swap(Int, Int)
    case set(Int, MirrorValue)
    case replace(Range<Int>, [MirrorValue])
    /// Removes all elements and inserts them again.
    case refill
}

enum StreamSetEdit: Sendable {
    case insert(MirrorValue)
    case remove(MirrorValue)
    case union([MirrorValue])
    case subtract([MirrorValue])
    /// Assigns another set.
    case assign([MirrorValue])
    case clear
}

enum StreamMapEdit: Sendable {
    case set(String, MirrorValue)
    case remove(String)
    case merge([MirrorEntryValue])
    /// Assigns another map; all of its entries are new.
    case assign([MirrorEntryValue])
    case clear
}

/// A key with its value. Where there are several, the keys are distinct.
struct MirrorEntryValue: Sendable {
    let key: String
    let value: MirrorValue
}

/// The effect of a commit: the oracle's own summary.
struct MirrorCommit: Sendable {
    var version: UInt64 = 0
    var origin: String?
    /// Properties that were set, by row; for lists see `slotsSet` and the worlds.
    var set: [Int: Set<Int>] = [:]
    /// Elements of lists of values, entries of maps, and contents of any-typed values that were
    /// set.
    var slotsSet: Set<Int> = []
}

extension MirrorWorld {
    /// Applies an edit.
    mutating func make(_ edit: StreamEdit, _ commit: inout MirrorCommit) {
        switch edit {
        case .add(let kind, let serial, let values):
            var row = MirrorRow(kind: kind, serial: serial, cells: [])
            for (index, property) in kind.properties.enumerated() {
                row.cells.append(
                    property.kind.isCollection
                        ? .list([])
                        : property.kind == .any ? .tree(.none) : .value(values[index] ?? .null))
            }
            row.cells[0] = .value(.int(serial))
            insert(row)
        case .set(let serial, let property, let value):
            put(.value(value), serial, property)
            commit.set[serial, default: []].insert(property)
        case .link(let serial, let property, let target):
            if let row = self[serial], row.kind.properties[property].kind.target == .box,
                let old = row.value(property).int
            {
                remove(old)
            }
            put(.value(.of(target)), serial, property)
            commit.set[serial, default: []].insert(property)
        case .box(let owner, let property, let at, let key, let serial, let size, let toy):
            guard let row = self[owner] else { return }
            if row.kind.properties[property].kind.isMap {
                make(.set(key, .int(serial)), owner, property, &commit)
            } else if row.kind.properties[property].kind.isCollection {
                var slots = row.slots(property)
                slots.insert(slot(.int(serial)), at: at)
                put(.list(slots), owner, property)
            } else {
                if let old = row.value(property).int { remove(old) }
                put(.value(.int(serial)), owner, property)
                commit.set[owner, default: []].insert(property)
            }
            insert(
                MirrorRow(
                    kind: .box, serial: serial,
                    cells: [
                        .value(.int(serial)), .value(.int(size)), .value(.text("box")),
                        .value(.of(toy)),
                    ]))
        case .setBox(_, let serial, let property, let value):
            put(.value(value), serial, property)
            commit.set[serial, default: []].insert(property)
        case .list(let serial, let property, let edit):
            make(edit, serial, property, &commit)
        case .members(let serial, let property, let edit):
            make(edit, serial, property)
        case .entries(let serial, let property, let edit):
            make(edit, serial, property, &commit)
        case .note(let serial, let edit):
            make(edit, serial, MirrorClass.note, &commit)
        case .delete(let serial):
            delete(serial, &commit)
        case .upsert(let kind, let serial, let isNew, let values, let isAll):
            if isNew { return make(.add(kind, serial: serial, values: values), &commit) }
            for (property, value) in values where property != kind.key {
                if !isAll, self[serial]?.value(property) == value { continue }
                put(.value(value), serial, property)
                commit.set[serial, default: []].insert(property)
            }
        case .savepoint(let edits):
            var (inner, journal) = (self, commit)
            for edit in edits { inner.make(edit, &journal) }
            lastIdentity = inner.lastIdentity
        }
    }

    private mutating func make(
        _ edit: StreamListEdit, _ serial: Int, _ property: Int, _ commit: inout MirrorCommit
    ) {
        guard let row = self[serial] else { return }
        let kind = row.kind.properties[property].kind
        var slots = row.slots(property)
        func move(from source: Int, to destination: Int) {
            if source == destination { return }
            let moved = slots.remove(at: source)
            slots.insert(
                MirrorSlot(identity: newIdentity(), element: moved.element, value: moved.value),
                at: destination)
        }
        var gone: ArraySlice<MirrorSlot> = []
        switch edit {
        case .insert(let values, let position):
            slots.insert(contentsOf: values.map { slot($0) }, at: position)
        case .append(let value):
            slots.append(slot(value))
        case .remove(let range):
            gone = slots[range]
            slots.removeSubrange(range)
        case .move(let source, let destination):
            move(from: source, to: destination)
        case .swap(let first, let second):
            let (low, high) = (min(first, second), max(first, second))
            if low == high { return }
            move(from: high, to: low)
            if high > low + 1 { move(from: low + 1, to: high) }
        case .set(let position, let value):
            if kind.hasElements {
                slots[position].value = value
                commit.slotsSet.insert(slots[position].element)
            } else {
                slots[position] = slot(value)
            }
        case .replace(let range, let values):
            slots.replaceSubrange(range, with: values.map { slot($0) })
        case .refill:
            slots = slots.map { slot($0.value) }
        }
        put(.list(slots), serial, property)
        if kind.target == .box { for slot in gone { slot.value.int.map { remove($0) } } }
    }

    /// Deletes a row with everything it owns, and all links to them.
    private mutating func delete(_ serial: Int, _ commit: inout MirrorCommit) {
        guard let row = self[serial] else { return }
        for (index, property) in row.kind.properties.enumerated()
        where property.kind.target == .box {
            for box in row.targets(index) { remove(box) }
        }
        remove(serial)
        if row.kind == .toy {
            for dog in rows(.dog) {
                var tree = dog.tree(MirrorClass.note)
                guard tree.forget(serial, &commit.slotsSet) else { continue }
                put(.tree(tree), dog.serial, MirrorClass.note)
                commit.set[dog.serial, default: []].insert(MirrorClass.note)
            }
        }
        for other in MirrorClass.allCases.flatMap({ rows($0) }) {
            for (index, property) in other.kind.properties.enumerated()
            where property.kind.target == row.kind {
                guard other.targets(index).contains(serial) else { continue }
                if property.kind.isMap {
                    var slots = other.slots(index)
                    for place in slots.indices where slots[place].value == .int(serial) {
                        slots[place].value = .null
                        commit.slotsSet.insert(slots[place].element)
                    }
                    put(.list(slots), other.serial, index)
                } else if property.kind.isCollection {
                    let slots = other.slots(index).filter { $0.value != .int(serial) }
                    put(.list(slots), other.serial, index)
                } else {
                    put(.value(.null), other.serial, index)
                    commit.set[other.serial, default: []].insert(index)
                }
            }
        }
    }

    /// Whether a transaction that led from an older world to this one changed anything.
    func differs(from old: MirrorWorld, _ commit: MirrorCommit) -> Bool {
        MirrorClass.allCases.contains { kind in
            serials(kind) != old.serials(kind)
                || serials(kind).contains { serial in
                    !ownChanges(of: serial, since: old, [commit]).isEmpty
                }
        }
    }

    /// Returns the properties that were set and the lists that changed, in the commits since an
    /// older world, for a row that existed then and still does.
    func ownChanges(
        of serial: Int, since old: MirrorWorld, _ commits: some Sequence<MirrorCommit>
    ) -> Set<Int> {
        guard let before = old[serial], let row = self[serial] else { return [] }
        var changes: Set<Int> = []
        var slotsSet: Set<Int> = []
        for commit in commits {
            if let set = commit.set[serial] { changes.formUnion(set) }
            slotsSet.formUnion(commit.slotsSet)
        }
        for (index, property) in row.kind.properties.enumerated() where property.kind.isCollection {
            let (was, now) = (before.slots(index), row.slots(index))
            if was.map(\.identity) != now.map(\.identity)
                || now.contains(where: { slotsSet.contains($0.element) })
            {
                changes.insert(index)
            }
        }
        return changes
    }
}
