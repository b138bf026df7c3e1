import Regnum
import RegnumSimulation

extension StreamWriter {
    /// Applies an edit of a set.
    func members<T>(
        _ edit: StreamSetEdit, _ set: MutableSet<T>, _ element: (MirrorValue) -> T,
        assign: (MutableSet<T>) -> Void
    ) {
        switch edit {
        case .insert(let value): set.insert(element(value))
        case .remove(let value): set.remove(element(value))
        case .union(let values): set.formUnion(values.map(element))
        case .subtract(let values): set.subtract(values.map(element))
        case .assign(let values): assign(MutableSet(values.map(element)))
        case .clear: set.removeAll()
        }
    }

    /// Applies an edit of a map.
    func entries<V>(
        _ edit: StreamMapEdit, _ map: Map<String, V>, _ value: (MirrorValue) -> V,
        assign: (Map<String, V>) -> Void
    ) {
        switch edit {
        case .set(let key, let new): map.updateValue(value(new), forKey: key)
        case .remove(let key): map.removeObject(for: key)
        case .merge(let entries):
            map.merge(entries.map { ($0.key, value($0.value)) }) { _, new in new }
        case .assign(let entries):
            let other = Map<String, V>()
            for entry in entries { other.updateValue(value(entry.value), forKey: entry.key) }
            assign(other)
        case .clear: map.removeAll()
        }
    }
}
