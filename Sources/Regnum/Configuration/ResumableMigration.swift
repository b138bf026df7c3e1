/// Settings for saving a migration in parts, which bounds its memory and lets it resume after being
/// killed: ``Realm/Configuration/resumableMigration``.
///
///     configuration.resumableMigration = ResumableMigration(name: "ages")
public struct ResumableMigration: Sendable, Hashable {
    /// The name of the migration block. State saved under another name is discarded, so change the
    /// name whenever you change the block, in case an earlier run of it was interrupted.
    public var name: String
    /// The approximate number of bytes of changed objects to hold in memory before saving them; 0
    /// saves after each batch.
    public var memoryByteCount: Int
    /// The number of objects that ``Migration/enumerateObjects(ofType:_:)`` visits in one batch, at
    /// least 1. After each batch, the changes are saved if they reach ``memoryByteCount``.
    public var batchCount: Int

    /// Creates the settings.
    public init(name: String = "", memoryByteCount: Int = 32 << 20, batchCount: Int = 1_024) {
        self.name = name
        self.memoryByteCount = memoryByteCount
        self.batchCount = batchCount
    }
}
