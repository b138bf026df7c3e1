internal import RegnumEngine

/// Notes which properties of an accessor are read, so that a key path can be told from what it
/// reads. Used by one call, on an accessor private to it.
final class ReadTracer {
    /// One read of a property.
    struct Read {
        let property: Int
        /// The key path of the wrapped property, as the class that declares it forms it.
        let keyPath: AnyKeyPath
    }

    private(set) var reads: [Read] = []
    /// What the properties of an accessor without a row hold, by position; nil where the accessor
    /// has a row to read.
    let values: [Value]?

    init(values: [Value]?) {
        self.values = values
    }

    func note(_ property: Int, _ keyPath: AnyKeyPath) {
        reads.append(Read(property: property, keyPath: keyPath))
    }
}
