import RegnumSimulation

// The effects of edits on the oracle's world.

extension AtlasWorld {
    mutating func apply(_ edit: AtlasEdit) {
        switch edit {
        case .add(let type, let number, let states, let route):
            let given = Dictionary(uniqueKeysWithValues: states.enumerated().map { ($0, $1) })
            if objects[type][number] == nil {
                objects[type][number] = classes[type].slots.map(\.emptyState)
                update(type, number, given, isAll: true)
            } else {
                update(type, number, given, isAll: route.isAll)
            }
        case .update(let type, let number, let given, let isAll):
            update(type, number, given, isAll: isAll)
        case .change(let type, let number, let slot, let edit):
            objects[type][number]?[slot].apply(edit)
        case .delete(let type, let number): delete(type, number)
        case .deleteClass(let type): for number in objects[type].keys { delete(type, number) }
        case .deleteAll: objects = classes.map { _ in [:] }
        case .addTaken: break
        case .savepoint(let edits, let end):
            if end.isKept { for edit in edits { apply(edit) } }
        }
    }

    private mutating func delete(_ type: Int, _ number: Int) {
        objects[type][number] = nil
        guard let gone = link(type, number) else { return }
        for (type, shape) in classes.enumerated() where shape.canLink {
            objects[type] = objects[type].mapValues { states in
                zip(shape.slots, states).map { $0.kind.canLink ? $1.without(gone, $0.kind) : $1 }
            }
        }
    }

    /// With `isAll`, the given states replace the existing ones. Otherwise the given elements are
    /// added to sets and the given entries to maps, and embedded objects are updated in place.
    private mutating func update(
        _ type: Int, _ number: Int, _ given: [Int: AtlasState], isAll: Bool
    ) {
        for (slot, new) in given {
            guard let old = objects[type][number]?[slot] else { continue }
            objects[type][number]?[slot] = isAll ? old.replaced(by: new) : old.updated(with: new)
        }
    }
}

extension AtlasState {
    fileprivate func replaced(by new: AtlasState) -> AtlasState {
        guard case .set(let values) = new else { return new }
        var set = AtlasState.set([])
        set.apply(.unite(values))
        return set
    }

    func updated(with new: AtlasState) -> AtlasState {
        switch (self, new) {
        case (.value(let old), .value(let new)): return .value(old.updated(with: new))
        case (.list(let old), .list(let new)):
            return .list(
                new.enumerated().map { position, value in
                    position < old.count ? old[position].updated(with: value) : value
                })
        case (.set, .set(let values)):
            var set = self
            set.apply(.unite(values))
            return set
        case (.map(let old), .map(let entries)):
            var map = self
            for entry in entries {
                let before = old.first { $0.key == entry.key }?.value
                map.apply(.put(entry.key, before?.updated(with: entry.value) ?? entry.value))
            }
            return map
        default: return new
        }
    }
}
