import RegnumSimulation
import RegnumTestSupport

/// Draws the transactions of a sequence and applies them to the oracle's world.
struct AtlasDraw {
    var random: SeededRandom
    private(set) var world: AtlasWorld
    private let sideCount: Int

    init(_ world: AtlasWorld, seed: UInt64, sideCount: Int) {
        random = SeededRandom(seed)
        self.world = world
        self.sideCount = sideCount
    }

    mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    mutating func isOneIn(_ count: Int) -> Bool { below(count) == 0 }

    /// Draws the next transaction. If it isn't kept, the world stays unchanged.
    mutating func transaction() -> AtlasTransaction {
        let before = world
        var edits = (0...below(7)).map { _ in edit(depth: 0) }
        var end = AtlasEnd.kept
        if isOneIn(8) { end = .thrown }
        if isOneIn(12), let violation = violation() { end = .violated(violation) }
        if edits.isEmpty { edits = [.deleteAll] }
        if !end.isKept { world = before }
        return AtlasTransaction(
            edits: edits, end: end, side: below(sideCount), isRelaxed: !isOneIn(6))
    }

    // MARK: Edits

    private mutating func edit(depth: Int) -> AtlasEdit {
        let edit = draw(depth)
        if case .savepoint = edit { return edit }  // applied while it was drawn
        world.apply(edit)
        return edit
    }

    private mutating func draw(_ depth: Int) -> AtlasEdit {
        // Nodes more often, since they have more properties.
        let type = isOneIn(3) ? 0 : below(world.classes.count)
        let number = below(4)
        guard world.objects[type][number] != nil else {
            return .add(type, number: number, states(type), route())
        }
        switch below(100) {
        case 0..<8: return .delete(type, number: number)
        case 8: return .deleteClass(type)
        case 9: return isOneIn(4) ? .deleteAll : .deleteClass(type)
        case 10..<15: return .add(type, number: number, states(type), upsert())
        case 15..<24: return update(type, number)
        case 24..<27: return .addTaken(type, number: number)
        case 27..<40 where depth < 2: return savepoint(depth)
        default: return change(type, number)
        }
    }

    private mutating func route() -> AtlasRoute {
        [.add, .add, .addModified, .addAll, .create, .createModified, .createAll][below(7)]
    }

    private mutating func upsert() -> AtlasRoute {
        [.addModified, .addAll, .createModified, .createAll][below(4)]
    }

    private mutating func savepoint(_ depth: Int) -> AtlasEdit {
        let before = world
        let edits = (0...below(3)).map { _ in edit(depth: depth + 1) }
        var end: AtlasEnd = isOneIn(2) ? .kept : .thrown
        if isOneIn(6), let violation = violation() { end = .violated(violation) }
        if !end.isKept { world = before }
        return .savepoint(edits, end)
    }

    private mutating func update(_ type: Int, _ number: Int) -> AtlasEdit {
        var given: [Int: AtlasState] = [:]
        for _ in 0...below(3) {
            let slot = below(world.classes[type].slots.count)
            given[slot] = state(world.classes[type].slots[slot]).withDistinctTexts
        }
        return .update(type, number: number, given, isAll: isOneIn(2))
    }

    private mutating func violation() -> AtlasViolation? {
        let type = below(world.classes.count)
        guard let number = world.objects[type].keys.sorted().first,
            let states = world.objects[type][number]
        else { return nil }
        let slots = world.classes[type].slots
        switch below(5) {
        case 0:
            let dates = slots.indices.filter {
                [.date, .any].contains(slots[$0].kind) && slots[$0].container == .value
            }
            return dates.first.map { .date(type, number: number, slot: $0) }
        case 1:
            let maps = slots.indices.filter { slots[$0].container == .map }
            return maps.isEmpty
                ? nil : .key(type, number: number, slot: maps[below(maps.count)])
        case 2:
            guard type == 0, states.contains(where: { $0.hasOwnedValue }) else { return nil }
            return .owned(number: number)
        case 3:
            let sets = slots.indices.filter {
                slots[$0].kind == .any && slots[$0].container == .set
            }
            return sets.first.map { .listInSet(type, number: number, slot: $0) }
        default: return .number(type, number: number)
        }
    }

    // MARK: States

    private mutating func states(_ type: Int) -> [AtlasState] {
        world.classes[type].slots.map { state($0) }
    }

    private mutating func state(_ slot: AtlasShape) -> AtlasState {
        switch slot.container {
        case .value: return .value(value(slot))
        case .list: return .list(values(slot))
        case .set:
            var state = AtlasState.set([])
            state.apply(.unite(values(slot)))
            return state
        case .map:
            var state = AtlasState.map([])
            state.apply(.merge(entries(slot)))
            return state
        }
    }

    /// Returns a few values; for links only those of existing nodes.
    mutating func values(_ slot: AtlasShape) -> [AtlasValue] {
        if slot.kind == .link, world.objects[0].isEmpty { return [] }
        return (0..<below(4)).map { _ in value(slot) }
    }

    mutating func entries(_ slot: AtlasShape) -> [AtlasEntry] {
        (0..<below(4)).map { _ in AtlasEntry(key: key(slot), value: value(slot)) }
    }

    mutating func key() -> AtlasBytes {
        let keys = ["", "a", "b", "\u{e9}", "e\u{301}", "k$", "\u{65e5}"]
        return AtlasBytes(keys[below(keys.count)])
    }

    mutating func value(_ slot: AtlasShape) -> AtlasValue {
        if slot.isOptional, isOneIn(3) { return .null }
        switch slot.kind {
        case .link: return node().map { .link($0) } ?? .null
        case .box: return .box(box())
        case .any: return anyValue(depth: slot.depth)
        default:
            let pool = slot.kind.pool
            return pool[below(pool.count)]
        }
    }

    mutating func node() -> Int? {
        let numbers = world.objects[0].keys.sorted()
        return numbers.isEmpty ? nil : numbers[below(numbers.count)]
    }

    // MARK: Changes of a property

    private mutating func change(_ type: Int, _ number: Int) -> AtlasEdit {
        let slot = below(world.classes[type].slots.count)
        let shape = world.classes[type].slots[slot]
        guard let state = world.objects[type][number]?[slot] else { return .deleteAll }
        let edit = innerEdit(shape, state) ?? outerEdit(shape, state)
        return .change(type, number: number, slot: slot, edit)
    }

    /// Returns a change of a property itself, or of a list or dictionary.
    mutating func outerEdit(_ shape: AtlasShape, _ state: AtlasState) -> AtlasSlotEdit {
        switch state {
        case .value: .set(value(shape))
        case .list(let list): listEdit(shape, list.count)
        case .set(let set): setEdit(shape, set)
        case .map: mapEdit(shape)
        }
    }

    private mutating func listEdit(_ shape: AtlasShape, _ count: Int) -> AtlasSlotEdit {
        let canFill = shape.kind != .link || !world.objects[0].isEmpty
        switch below(9) {
        case 0: return .assign(values(shape))
        case 1: return .removeAll
        case 2 where count > 0 && canFill: return .replace(at: below(count), value(shape))
        case 3 where count > 0: return .remove(range(count))
        case 4 where count > 0: return .move(from: below(count), to: below(count))
        case 5 where count > 0: return .swap(below(count), below(count))
        default: return .insert(values(shape), at: below(count + 1))
        }
    }

    private mutating func range(_ count: Int) -> Range<Int> {
        let start = below(count)
        return start..<(start + 1 + below(count - start))
    }

    private mutating func setEdit(_ shape: AtlasShape, _ set: [AtlasValue]) -> AtlasSlotEdit {
        let canFill = shape.kind != .link || !world.objects[0].isEmpty
        switch below(8) {
        case 0: return .assign(values(shape))
        case 1: return isOneIn(3) ? .removeAll : .subtract(values(shape))
        case 2: return .intersect(values(shape) + (set.isEmpty ? [] : [set[below(set.count)]]))
        case 3 where !set.isEmpty: return .removeMember(set[below(set.count)])
        case 4 where canFill: return .removeMember(value(shape))
        case 5, 6: return .unite(values(shape))
        default: return canFill ? .insertMember(value(shape)) : .removeAll
        }
    }

    private mutating func mapEdit(_ shape: AtlasShape) -> AtlasSlotEdit {
        switch below(9) {
        case 0: return .assignEntries(entries(shape))
        case 1: return isOneIn(3) ? .removeAll : .removeKey(key(shape))
        case 2, 3: return .removeKey(key(shape))
        case 4: return .merge(entries(shape))
        default: return .put(key(shape), value(shape))
        }
    }
}

extension AtlasState {
    /// The same without keys that are equal to another one in Swift, for conversion to a
    /// dictionary.
    fileprivate var withDistinctTexts: AtlasState {
        guard case .map(let entries) = self else { return self }
        return .map(entries.withDistinctTexts)
    }

    /// Whether it is a property with a single embedded object in it.
    var hasOwnedValue: Bool { if case .value(let value) = self { value.isBox } else { false } }
}

extension [AtlasEntry] {
    /// The entries without those whose key is equal in Swift to an earlier one.
    var withDistinctTexts: [AtlasEntry] {
        var texts: Set<String> = []
        return filter { texts.insert($0.key.text).inserted }
    }
}
