/// A person found by a peer's query. Queries without an order return them by id, sorted ones by age
/// and id.
struct AgeRow: Sendable {
    var id: Int
    var age: Int
}

extension AgeRow {
    /// Returns the difference between two results, which the peers leave to the program: found by
    /// comparing both from the front. In sorted results each change of age is a deletion and an
    /// insertion.
    ///
    /// - Complexity: O(`old.count` + `new.count`).
    static func difference(
        from old: [AgeRow], to new: [AgeRow], isSorted: Bool
    ) -> AgeDelivery {
        var delivery = AgeDelivery(deletions: 0, insertions: 0, modifications: 0)
        var (place, newPlace) = (0, 0)
        while place < old.count || newPlace < new.count {
            if newPlace == new.count {
                delivery.deletions += 1
                place += 1
            } else if place == old.count {
                delivery.insertions += 1
                newPlace += 1
            } else {
                let (row, newRow) = (old[place], new[newPlace])
                if row.id == newRow.id, row.age == newRow.age || !isSorted {
                    if row.age != newRow.age { delivery.modifications += 1 }
                    place += 1
                    newPlace += 1
                } else if row.isBefore(newRow, isSorted: isSorted) {
                    delivery.deletions += 1
                    place += 1
                } else {
                    delivery.insertions += 1
                    newPlace += 1
                }
            }
        }
        return delivery
    }

    private func isBefore(_ other: AgeRow, isSorted: Bool) -> Bool {
        isSorted ? (age, id) < (other.age, other.id) : id < other.id
    }
}
