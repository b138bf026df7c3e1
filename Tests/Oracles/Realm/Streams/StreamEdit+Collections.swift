import RegnumSimulation
import RegnumTestSupport

// Edits of sets and maps.

extension MirrorWorld {
    mutating func make(_ edit: StreamSetEdit, _ serial: Int, _ property: Int) {
        guard let row = self[serial] else { return }
        var slots = row.slots(property)
        func remove(_ isGone: (MirrorValue) -> Bool) { slots.removeAll { isGone($0.value) } }
        func insert(_ value: MirrorValue) {
            let place = slots.firstIndex { MirrorValue.compare($0.value, value) >= 0 }
            if let place, slots[place].value == value { return }
            slots.insert(slot(value), at: place ?? slots.count)
        }
        switch edit {
        case .insert(let value): insert(value)
        case .remove(let value): remove { $0 == value }
        case .union(let values): for value in values { insert(value) }
        case .subtract(let values): remove { values.contains($0) }
        case .assign(let values):
            remove { !values.contains($0) }
            for value in values { insert(value) }
        case .clear: slots = []
        }
        put(.list(slots), serial, property)
    }

    mutating func make(
        _ edit: StreamMapEdit, _ serial: Int, _ property: Int, _ commit: inout MirrorCommit
    ) {
        guard let row = self[serial] else { return }
        var slots = row.slots(property)
        func set(_ key: String, _ value: MirrorValue) {
            let place = slots.firstIndex { !$0.key.utf8.lexicographicallyPrecedes(key.utf8) }
            if let place, slots[place].key.utf8.elementsEqual(key.utf8) {
                slots[place].value = value
                commit.slotsSet.insert(slots[place].element)
                return
            }
            var new = slot(value)
            new.key = key
            slots.insert(new, at: place ?? slots.count)
        }
        func remove(_ isGone: (String) -> Bool) { slots.removeAll { isGone($0.key) } }
        switch edit {
        case .set(let key, let value): set(key, value)
        case .remove(let key): remove { $0.utf8.elementsEqual(key.utf8) }
        case .merge(let entries): for entry in entries { set(entry.key, entry.value) }
        case .assign(let entries):
            slots = []
            for entry in entries { set(entry.key, entry.value) }
        case .clear: slots = []
        }
        put(.list(slots), serial, property)
        guard row.kind.properties[property].kind.target == .box else { return }
        let kept = Set(slots.map(\.value))
        for slot in row.slots(property) where !kept.contains(slot.value) {
            slot.value.int.map { self.remove($0) }
        }
    }
}

extension StreamDraw {
    /// Draws an edit of a set.
    mutating func setEdit(_ row: MirrorRow, _ property: Int) -> StreamSetEdit? {
        let kind = row.kind.properties[property].kind
        guard let first = element(kind), let second = element(kind) else { return nil }
        let old = random.pick(row.slots(property).map(\.value)) ?? first
        switch random.below(row.slots(property).count > 6 ? 7 : 12) {
        case 0, 1: return .remove(random.oneIn(4) ? first : old)
        case 2: return .subtract([first, old])
        case 3: return .assign([first, second, old])
        case 4: return random.oneIn(2) ? .clear : .assign(row.slots(property).map(\.value))
        case 5: return .union([second, first])
        case 6: return .insert(old)
        default: return .insert(first)
        }
    }

    /// Draws an edit of a map.
    mutating func mapEdit(_ row: MirrorRow, _ property: Int) -> StreamMapEdit? {
        let kind = row.kind.properties[property].kind
        let old = random.pick(row.slots(property))
        let key = random.oneIn(3) ? old?.key ?? "a" : mapKey()
        if kind.target == .box {
            switch random.below(7) {
            case 0: return .clear
            case 3: return .assign([MirrorEntryValue(key: key, value: .null)])
            case 1: return .set(key, .null)
            case 2: return .merge([MirrorEntryValue(key: key, value: .null)])
            default: return .remove(old?.key ?? key)
            }
        }
        let value = random.oneIn(4) ? old?.value ?? .null : element(kind) ?? .null
        let others = MirrorEntryValue(key: key + "z", value: element(kind) ?? .null)
        switch random.below(row.slots(property).count > 6 ? 7 : 12) {
        case 0, 1, 2: return .remove(random.oneIn(4) ? key : old?.key ?? key)
        case 3: return .assign([others, MirrorEntryValue(key: key, value: value)])
        case 4:
            if random.oneIn(2) { return .clear }
            return .assign(
                row.slots(property).map { MirrorEntryValue(key: $0.key, value: $0.value) })
        case 5: return .merge([MirrorEntryValue(key: key, value: value), others])
        case 6: return .set(old?.key ?? key, old?.value ?? value)
        default: return .set(key, value)
        }
    }

    mutating func mapKey() -> String {
        ["", "a", "b", "Z", "\u{e9}", "e\u{301}", "key"][random.below(7)]
    }

    /// Returns a value or object for a collection.
    private mutating func element(_ kind: MirrorProperty.Kind) -> MirrorValue? {
        if let content = kind.elements { return content.draw(&random) }
        return random.pick(world.serials(kind.target ?? .toy)).map { .int($0) }
    }
}
