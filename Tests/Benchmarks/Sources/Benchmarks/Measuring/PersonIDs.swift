import Synchronization

/// The ids of people that were not stored yet, for one store.
final class PersonIDs: Sendable {
    private let next: Atomic<Int>

    init(from first: Int) { next = Atomic(first) }

    /// `count` people with ids that nobody has.
    func newPeople(_ count: Int) -> [PersonValues] {
        let end = next.wrappingAdd(count, ordering: .relaxed).newValue
        return People.people(end - count..<end)
    }
}
