/// How a migration is done in parts, so that its memory is bounded and it goes on after a kill:
/// ``Realm/Configuration/resumableMigration``.
public struct ResumableMigration: Sendable, Hashable {
    /// Names the block. What a block of another name has left is thrown away: give a changed block
    /// another name, where the one before may have been killed.
    public var name: String
    /// About how many bytes of changed objects are held in memory before they are written; 0: written
    /// after each batch.
    public var memoryByteCount: Int
    /// How many objects of ``Migration/enumerateObjects(ofType:_:)`` are a batch, at least 1: after each
    /// it is looked whether there is something to write.
    public var batchCount: Int

    public init(name: String = "", memoryByteCount: Int = 32 << 20, batchCount: Int = 1_024) {
        self.name = name
        self.memoryByteCount = memoryByteCount
        self.batchCount = batchCount
    }
}
