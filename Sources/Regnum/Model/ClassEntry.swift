internal import RegnumEngine
internal import RegnumStore

/// How the properties of a class lie in its table, at one schema of a realm.
struct ClassMapping: Sendable {
    /// `DatabaseSchema.id` of the schema that this was made from.
    let schemaID: UInt64
    /// The class's table, nil while nothing of the class was ever stored.
    let table: TableSchema?
    /// By position in `ClassSchema.properties`: the number of the column or, for a list, of the list;
    /// the complement (`~`) of the position where the table has no such column or list yet. An inverse
    /// has its position.
    let columns: [Int32]
    /// The columns that the class does not know, with the value that its new rows have there.
    let unknownColumns: [(column: Int, value: Value)]
    /// The same as plain numbers.
    let place: BindingPlace
    /// Why the class cannot be used with this schema.
    let mismatch: Realm.Error?

    /// Whether the table and all columns, lists and indexes are there.
    let isComplete: Bool
}

/// A model class that has joined a realm.
final class ClassEntry: Sendable {
    let schema: ClassSchema
    /// Why the class can never be used with the realm: its declaration, or another class of the
    /// same name.
    let problem: Realm.Error?
    /// The schema version of the realm's configuration.
    private let schemaVersion: UInt64
    private let lastMapping = Guarded<ClassMapping?>(nil)

    init(schema: ClassSchema, problem: Realm.Error?, schemaVersion: UInt64) {
        self.schema = schema
        self.problem = problem
        self.schemaVersion = schemaVersion
    }

    /// What a newer program has taken away or renamed, as an error; nil if nothing is missing.
    ///
    /// What is missing in a schema that is not newer was never stored, and has its default.
    fileprivate func missing(
        _ columns: [Int32], _ table: TableSchema?, in database: DatabaseSchema
    ) -> Realm.Error? {
        guard database.version > schemaVersion else { return nil }
        let versions =
            "the realm has the schema version \(database.version), and the configuration has "
            + "\(schemaVersion): a newer program has used it. Use that one."
        guard table != nil else {
            return Realm.Error(
                .schemaMismatch, "\(schema.name) is not stored, and \(versions)",
                className: schema.name)
        }
        for (property, column) in zip(schema.properties, columns) where column < 0 {
            return Realm.Error(
                .schemaMismatch,
                "\(schema.name).\(property.nameWithColumn) is not stored, and \(versions)",
                className: schema.name, property: property.name)
        }
        return nil
    }

    /// How the class lies in a schema. The last answer is kept.
    ///
    /// - Complexity: O(1) while the schema stays, else O(properties x columns).
    func mapping(in database: DatabaseSchema) -> ClassMapping {
        let known = lastMapping.withLock { $0 }
        if let known, known.schemaID == database.id { return known }
        let made = ClassMapping(of: self, in: database)
        lastMapping.withLock { $0 = made }
        return made
    }
}

extension ClassMapping {
    fileprivate init(of entry: ClassEntry, in database: DatabaseSchema) {
        let schema = entry.schema
        schemaID = database.id
        table = database.table(named: schema.name)
        let table = table
        columns = schema.properties.enumerated().map { index, property in
            let missing = ~Int32(index)
            switch property.shape {
            case .scalar, .link:
                return table?.column(named: property.columnName).map { Int32($0.key.rawValue) }
                    ?? missing
            case .list:
                return table?.list(named: property.columnName).map { Int32($0.key.rawValue) }
                    ?? missing
            case .map, .set:
                return table?.list(named: property.columnName).map { Int32($0.key.rawValue) }
                    ?? missing
            case .linkingObjects:
                return Int32(index)
            }
        }
        isComplete =
            table != nil && columns.allSatisfy { $0 >= 0 }
            && schema.properties.allSatisfy { property in
                !property.isIndexed || table?.column(named: property.columnName)?.hasIndex ?? false
            }
        let known = Set(zip(schema.properties, columns).filter { $0.0.isColumn }.map(\.1))
        unknownColumns = (table?.columns ?? []).compactMap { column in
            known.contains(Int32(column.key.rawValue))
                ? nil : (Int(column.key.rawValue), column.defaultValue)
        }
        mismatch =
            entry.problem ?? table.flatMap { schema.mismatch(with: $0, in: database) }
            ?? entry.missing(columns, table, in: database)
        place = BindingPlace(
            schema, schemaID: schemaID, columns: columns, table, isComplete: isComplete,
            isMismatch: mismatch != nil)
    }
}
