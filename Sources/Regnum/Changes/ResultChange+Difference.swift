internal import RegnumEngine

extension ResultChange {
    /// Returns the deletions and insertions as a standard difference. If an element occurs in both,
    /// its first deletion and first insertion form a move.
    ///
    /// - Parameter replacesModified: Whether modified elements are also removed and inserted.
    func difference<Element>(
        replacesModified: Bool = false, old: (ObjectKey) -> Element, new: (ObjectKey) -> Element
    ) -> CollectionDifference<Element> {
        let newPlaces = ResultChange.places(insertedKeys, insertions)
        let oldPlaces = ResultChange.places(deletedKeys, deletions)
        var changes: [CollectionDifference<Element>.Change] = []
        changes.reserveCapacity(deletions.count + insertions.count)
        for (key, place) in zip(deletedKeys, deletions) {
            let isMoved = oldPlaces[key] == place
            changes.append(
                .remove(
                    offset: place, element: old(key),
                    associatedWith: isMoved ? newPlaces[key] : nil))
        }
        for (key, place) in zip(insertedKeys, insertions) {
            let isMoved = newPlaces[key] == place
            changes.append(
                .insert(
                    offset: place, element: new(key),
                    associatedWith: isMoved ? oldPlaces[key] : nil))
        }
        if replacesModified {
            for row in modified {
                changes.append(
                    .remove(offset: row.oldIndex, element: old(row.key), associatedWith: nil))
                changes.append(
                    .insert(offset: row.newIndex, element: new(row.key), associatedWith: nil))
            }
        }
        guard let difference = CollectionDifference(changes) else {
            fatalError("A change set has contradictory positions.")
        }
        return difference
    }

    /// Returns the first position of each key.
    private static func places(_ keys: [ObjectKey], _ positions: [Int]) -> [ObjectKey: Int] {
        var places: [ObjectKey: Int] = [:]
        for (key, place) in zip(keys, positions) where places[key] == nil { places[key] = place }
        return places
    }
}
