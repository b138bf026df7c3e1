internal import RegnumEngine

/// The classes that a realm stores, whether the program has them or not.
public struct StoredSchema: Sendable, Hashable {
    /// The version that the last program gave the schema.
    public let version: UInt64
    /// In alphabetical order.
    public let classes: [StoredClass]

    /// A class by its name, nil if it is not stored.
    public subscript(className: String) -> StoredClass? { classes.first { $0.name == className } }

    init(_ schema: DatabaseSchema) {
        version = schema.version
        classes = schema.tables.filter { $0.kind != .elements && !$0.isDropped }
            .map { StoredClass($0, in: schema) }.sorted { $0.name < $1.name }
    }

    /// The schema in the midst of a migration to classes, whose keys and kinds are set at its end.
    init(_ schema: DatabaseSchema, as program: [ClassSchema], version: UInt64) {
        self.version = version
        classes = StoredSchema(schema).classes.map { stored in
            guard let declared = program.first(where: { $0.name == stored.name }) else {
                return stored
            }
            return StoredClass(stored, as: declared)
        }
    }
}

/// A stored class.
public struct StoredClass: Sendable, Hashable {
    /// The name of the class.
    public let name: String
    /// Whether its objects belong to others.
    public let isEmbedded: Bool
    /// In alphabetical order.
    public let properties: [StoredProperty]

    /// A property by its name, nil if it is not stored.
    public subscript(name: String) -> StoredProperty? { properties.first { $0.name == name } }

    init(_ table: TableSchema, in schema: DatabaseSchema) {
        name = table.name
        isEmbedded = table.kind == .embedded
        var found: [StoredProperty] = []
        for column in table.columns where !column.isDropped {
            found.append(
                StoredProperty(
                    name: column.name,
                    type: table.swiftName(ofProperty: column.name, in: schema) ?? "",
                    isPrimaryKey: column.isPrimaryKey,
                    isIndexed: column.hasIndex && column.linkTarget == nil))
        }
        for list in table.lists where !list.isDropped && !list.name.hasSuffix("[]") {
            found.append(
                StoredProperty(
                    name: list.name, type: table.swiftName(ofProperty: list.name, in: schema) ?? "",
                    isPrimaryKey: false, isIndexed: false))
        }
        properties = found.sorted { $0.name < $1.name }
    }

    fileprivate init(_ stored: StoredClass, as declared: ClassSchema) {
        name = stored.name
        isEmbedded = declared.isEmbedded
        properties = stored.properties.map { property in
            guard let known = declared.property(storedAs: property.name) else { return property }
            return StoredProperty(
                name: property.name, type: property.type, isPrimaryKey: known.isPrimaryKey,
                isIndexed: known.isIndexed || known.isPrimaryKey)
        }
    }
}

/// A stored property.
public struct StoredProperty: Sendable, Hashable {
    /// The name under which it is stored.
    public let name: String
    /// The Swift type that is stored so: `Int`, `String?`, `Dog?` for a link, `List<Dog>`,
    /// `MutableSet<Int>`, `Map<String, Double?>`.
    public let type: String
    /// Whether it is the primary key of its class.
    public let isPrimaryKey: Bool
    /// Whether it has an index; a primary key has one.
    public let isIndexed: Bool
}

/// What a migration did, or would do.
public struct MigrationReport: Sendable {
    /// The version of the schema that was stored, and the one that took its place.
    public let versions: (old: UInt64, new: UInt64)
    /// The stored classes before and after.
    public let schemas: (old: StoredSchema, new: StoredSchema)
    /// For each stored class of the two, how many objects it had before and has after.
    public let objectCounts: [String: (old: Int, new: Int)]

    init(_ old: DatabaseRoot, _ new: EngineTransaction) {
        versions = (old.schema.version, new.schema.version)
        schemas = (StoredSchema(old.schema), StoredSchema(new.schema))
        var counts: [String: (old: Int, new: Int)] = [:]
        for name in schemas.old.classes.map(\.name) + schemas.new.classes.map(\.name) {
            counts[name] = (
                old.schema.table(named: name).map { old.count($0.key) } ?? 0,
                new.schema.table(named: name).map { new.count($0.key) } ?? 0
            )
        }
        objectCounts = counts
    }

    /// The differences of the two schemas, one sentence for each.
    public var changes: [String] {
        var lines: [String] = []
        for after in schemas.new.classes {
            guard let before = schemas.old[after.name] else {
                lines.append("\(after.name) is new.")
                continue
            }
            if before.isEmbedded != after.isEmbedded {
                lines.append(
                    after.isEmbedded
                        ? "\(after.name) becomes embedded." : "\(after.name) is no longer embedded."
                )
            }
            lines += Self.changes(from: before, to: after)
        }
        for before in schemas.old.classes where schemas.new[before.name] == nil {
            lines.append("\(before.name) is gone.")
        }
        return lines
    }

    private static func changes(from before: StoredClass, to after: StoredClass) -> [String] {
        var lines: [String] = []
        for property in after.properties {
            let name = "\(after.name).\(property.name)"
            guard let old = before[property.name] else {
                lines.append("\(name) of type \(property.type) is new.")
                continue
            }
            if old.type != property.type {
                lines.append("\(name) changes from \(old.type) to \(property.type).")
            }
            if old.isPrimaryKey != property.isPrimaryKey {
                lines.append(
                    "\(name) \(property.isPrimaryKey ? "becomes" : "is no longer") the primary key."
                )
            } else if old.isIndexed != property.isIndexed {
                lines.append("\(name) \(property.isIndexed ? "gets" : "loses") an index.")
            }
        }
        for old in before.properties where after[old.name] == nil {
            lines.append("\(after.name).\(old.name) is gone.")
        }
        return lines
    }
}

extension MigrationReport: CustomStringConvertible {
    /// The versions, the differences of the schemas, and the classes of which objects came or went.
    public var description: String {
        var lines = ["Schema version \(versions.old) to \(versions.new)."] + changes
        for (name, counts) in objectCounts.sorted(by: { $0.key < $1.key })
        where counts.old != counts.new {
            lines.append("\(name): \(counts.old) objects before, \(counts.new) after.")
        }
        return lines.joined(separator: "\n")
    }
}
