import Regnum
import RegnumSimulation

// Changes of collections in the realm, whatever the type of their elements.

extension AtlasSlotEdit {
    func make<E: RealmCollectionValue>(_ list: List<E>, _ made: (AtlasValue) -> E) {
        switch self {
        case .insert(let values, let position):
            switch (values.count, position) {
            case (1, list.count): list.append(made(values[0]))
            case (1, _): list.insert(made(values[0]), at: position)
            case (_, list.count): list.append(objectsIn: values.map(made))
            default: list.insert(contentsOf: values.map(made), at: position)
            }
        case .assign(let values): list.replaceSubrange(0..<list.count, with: values.map(made))
        case .replace(let position, let value): list[position] = made(value)
        case .remove(let range):
            if range.count == 1 {
                list.remove(at: range.lowerBound)
            } else {
                list.removeSubrange(range)
            }
        case .move(let from, let to): list.move(from: from, to: to)
        case .swap(let first, let second): list.swapAt(first, second)
        case .removeAll: list.removeAll()
        default: fatalError("\(self) can't be applied to a list.")
        }
    }

    func make<E: RealmCollectionValue>(_ set: MutableSet<E>, _ made: (AtlasValue) -> E) {
        switch self {
        case .insertMember(let value): set.insert(made(value))
        case .removeMember(let value): set.remove(made(value))
        case .unite(let values): set.formUnion(values.map(made))
        case .assign(let values): set.formUnion(values.map(made))
        case .intersect(let values): set.formIntersection(values.map(made))
        case .subtract(let values): set.subtract(values.map(made))
        case .removeAll: set.removeAll()
        default: fatalError("\(self) can't be applied to a set.")
        }
    }

    func make<E: MapValue>(_ map: Map<String, E>, _ made: (AtlasValue) -> E) {
        switch self {
        case .put(let key, let value): map.updateValue(made(value), forKey: key.text)
        case .removeKey(let key): map.removeObject(for: key.text)
        case .assignEntries(let entries):
            map.removeAll()
            for entry in entries { map[entry.key.text] = made(entry.value) }
        case .merge(let entries):
            map.merge(entries.map { ($0.key.text, made($0.value)) }) { _, new in new }
        case .removeAll: map.removeAll()
        default: fatalError("\(self) can't be applied to a map.")
        }
    }

    static func map<E: MapValue>(
        _ entries: [AtlasEntry], _ made: (AtlasValue) -> E
    ) -> Map<String, E> {
        let map = Map<String, E>()
        for entry in entries { map.updateValue(made(entry.value), forKey: entry.key.text) }
        return map
    }

    /// Returns the entries of a map for `create`; `nil` if two of its keys are equal in Swift.
    static func dictionary(
        _ state: AtlasState, _ made: (AtlasValue) -> Any
    ) -> [String: Any]? {
        guard case .map(let entries) = state else { return nil }
        let pairs = entries.map { ($0.key.text, made($0.value)) }
        return Set(pairs.map(\.0)).count == pairs.count
            ? Dictionary(uniqueKeysWithValues: pairs) : nil
    }
}
