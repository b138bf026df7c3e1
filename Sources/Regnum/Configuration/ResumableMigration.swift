/// Settings for saving a migration in parts, which bounds its memory and lets it resume after being
/// killed: ``Realm/Configuration/resumableMigration``.
///
///     configuration.resumableMigration = ResumableMigration(name: "ages")
public struct ResumableMigration: Sendable, Hashable {
    /// The name of the block. State saved under another name is discarded: rename a block when you
    /// change it, in case the previous one was killed.
    public var name: String
    /// The approximate number of bytes of changed objects to hold in memory before saving; 0 saves
    /// after each batch.
    public var memoryByteCount: Int
    /// The number of objects of ``Migration/enumerateObjects(ofType:_:)`` in a batch, at least 1.
    /// After each batch, the changes are saved if there are enough of them.
    public var batchCount: Int

    /// Creates the settings.
    public init(name: String = "", memoryByteCount: Int = 32 << 20, batchCount: Int = 1_024) {
        self.name = name
        self.memoryByteCount = memoryByteCount
        self.batchCount = batchCount
    }
}
