/// The progress of a migration through the objects of one class.
public struct MigrationProgress: Sendable, Hashable {
    /// The class whose objects are being visited.
    public let className: String
    /// The number of its objects visited so far.
    public let objectsDone: Int
    /// The total number of its objects.
    public let objectCount: Int
}
