import Synchronization

/// Unused ids of people, for one store.
final class PersonIDs: Sendable {
    private let next: Atomic<Int>

    init(from first: Int) { next = Atomic(first) }

    /// Returns `count` people with unused ids.
    func newPeople(_ count: Int) -> [PersonValues] {
        let end = next.wrappingAdd(count, ordering: .relaxed).newValue
        return People.people(end - count..<end)
    }
}
