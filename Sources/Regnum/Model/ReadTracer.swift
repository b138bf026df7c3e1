internal import RegnumEngine

/// Notes which properties of a recorder are read, so that a key path can be told from what it reads.
/// Used by one call, on an object private to it.
final class ReadTracer {
    /// The positions of the properties that were read, in order.
    private(set) var reads: [Int] = []
    /// What the properties of the recorder hold, by position.
    let values: [Value]

    init(values: [Value]) {
        self.values = values
    }

    func note(_ property: Int) { reads.append(property) }
}
