public import FoundationEssentials

extension Realm {
    /// Opens a realm of its own, in memory, that is gone when it is closed or nobody holds it: for
    /// tests, any number of them beside each other.
    ///
    /// - Parameters:
    ///   - types: the classes; nil: each joins at its first use.
    ///   - template: a realm in a directory, whose newest published content the new one begins with.
    ///     It may be open, and being written, in this process and others; nothing of it is changed. It
    ///     is not copied: what is not changed is read from its files as it is needed.
    /// - Throws: `.invalidInput` for classes that cannot be stored; `.fileNotFound` if there is no
    ///   template, `.schemaMismatch` if a class differs from the template's, and what `open` throws for
    ///   what is found there.
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
