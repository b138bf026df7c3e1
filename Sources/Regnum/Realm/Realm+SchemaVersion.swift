internal import RegnumEngine
internal import RegnumStore

extension RealmCore {
    /// Throws `.schemaMismatch` if the stored schema version is higher than the configured one.
    func checkSchemaVersion(_ schema: DatabaseSchema) throws(Realm.Error) {
        guard schema.version > configuration.schemaVersion else { return }
        throw Realm.Error(
            .schemaMismatch,
            "The realm \"\(configuration.name)\" has schema version \(schema.version), but the "
                + "configuration has \(configuration.schemaVersion): a newer version of the "
                + "program has used the realm. Use that version or a later one.")
    }

    /// Throws `.schemaMismatch` if a listed class of a read-only realm has properties that aren't
    /// stored.
    func checkComplete(in database: DatabaseSchema) throws(Realm.Error) {
        guard configuration.readOnly else { return }
        var lines: [String] = []
        var first: (className: String, property: String)?
        for type in configuration.objectTypes ?? [] {
            let schema = ClassSchema.of(type)
            let mapping = entry(for: type).mapping(in: database)
            guard mapping.table != nil, !mapping.isComplete else { continue }
            for (property, column) in zip(schema.properties, mapping.columns) where column < 0 {
                lines.append("\(schema.name).\(property.nameWithColumn) is not stored.")
                first = first ?? (schema.name, property.name)
            }
        }
        guard let first else { return }
        throw Realm.Error(
            .schemaMismatch,
            lines.joined(separator: "\n")
                + "\nThe realm is opened read-only, so missing properties can't be added. Open it "
                + "once without Configuration.readOnly.",
            className: first.className, property: first.property)
    }

    /// Throws `.busy` if more versions are held than the configuration allows.
    func checkActiveVersions() throws(Realm.Error) {
        guard let maximum = configuration.maximumNumberOfActiveVersions else { return }
        let held = Set(snapshots.all.map(\.root.version))
        let count = UInt(held.union([coordinator.published.version]).count)
        guard count > maximum else { return }
        let oldest = snapshots.all.first.map { " The oldest was taken at \($0.place)." } ?? ""
        throw Realm.Error(
            .busy,
            "\(count) versions of the realm \"\(configuration.name)\" are held, but "
                + "Configuration.maximumNumberOfActiveVersions is \(maximum): release older "
                + "snapshots and frozen values.\(oldest)")
    }
}
