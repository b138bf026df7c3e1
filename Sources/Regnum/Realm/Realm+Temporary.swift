public import FoundationEssentials

extension Realm {
    /// Opens a separate in-memory realm that is discarded when it is closed or released. Intended
    /// for tests, any number of which can run in parallel.
    ///
    ///     let realm = try await Realm.temporary([Room.self, Message.self])
    ///
    /// - Parameters:
    ///   - types: The classes of the realm. `nil` means that each class joins the realm when it is
    ///     first used.
    ///   - template: The directory of a realm, or a copy in a file, whose newest published content
    ///     the new one starts with. The realm may be open and being written to, in this and other
    ///     processes, and isn't changed. It isn't copied: unchanged content is read from its files
    ///     as needed.
    /// - Throws: `.invalidInput` for classes that can't be stored; `.fileNotFound` if the template
    ///   doesn't exist; `.schemaMismatch` if a class differs from the template's; whatever `open`
    ///   throws for the files found there.
    public static func temporary(
        _ types: [ObjectBase.Type]? = nil, from template: URL? = nil
    ) async throws -> Realm {
        let identifier = "temporary-\(UUID().uuidString)"
        var configuration = Configuration(
            location: .inMemory(identifier: identifier), objectTypes: types)
        configuration.seedFile = template
        return try await open(configuration, adoptsSchemaVersion: true)
    }
}
