/// The progress of building indexes.
public struct IndexProgress: Sendable, Hashable {
    /// The class of the index to be built next.
    public let className: String
    /// The property of that index.
    public let propertyName: String
    /// The number of objects of the class.
    public let objectCount: Int
    /// The number of indexes built so far.
    public let indexesDone: Int
    /// The total number of indexes to be built.
    public let indexCount: Int
}
