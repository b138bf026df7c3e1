internal import RegnumEngine

/// A summary of what a migration did or would do.
public struct MigrationReport: Sendable {
    /// The previous and the new version of the stored schema.
    public let versions: (old: UInt64, new: UInt64)
    /// The stored classes before and after.
    public let schemas: (old: Schema, new: Schema)
    /// The number of objects before and after, for each class stored in either schema. Among
    /// classes whose names differ only in their Unicode normalization, only one has an entry,
    /// because the names are equal as strings; ``description`` reports all of them.
    public let objectCounts: [String: (old: Int, new: Int)]

    /// The classes whose number of objects changed, in order of their names.
    private let changedCounts: [(name: String, old: Int, new: Int)]

    init(_ old: DatabaseRoot, _ new: EngineTransaction) {
        versions = (old.schema.version, new.schema.version)
        schemas = (Schema(stored: old.schema), Schema(stored: new.schema))
        let names = Set(
            (schemas.old.objectSchema + schemas.new.objectSchema).map { StoredText($0.className) })
        let counts = names.map { name in
            (
                name: name.wrappedValue,
                old: old.schema.table(named: name.wrappedValue).map { old.count($0.key) } ?? 0,
                new: new.schema.table(named: name.wrappedValue).map { new.count($0.key) } ?? 0
            )
        }.sorted { compareUTF8($0.name, $1.name) < 0 }
        objectCounts = Dictionary(counts.map { ($0.name, ($0.old, $0.new)) }) { first, _ in first }
        changedCounts = counts.filter { $0.old != $0.new }
    }

    /// The differences between the two schemas, one sentence for each.
    public var changes: [String] {
        var lines: [String] = []
        for after in schemas.new.objectSchema {
            guard let before = schemas.old[after.className] else {
                lines.append("\(after.className) is added.")
                continue
            }
            for (what, was, isNow) in [
                ("embedded", before.isEmbedded, after.isEmbedded),
                ("asymmetric", before.isAsymmetric, after.isAsymmetric),
            ] where was != isNow {
                lines.append("\(after.className) \(isNow ? "becomes" : "is no longer") \(what).")
            }
            lines += Self.changes(from: before, to: after)
        }
        for before in schemas.old.objectSchema where schemas.new[before.className] == nil {
            lines.append("\(before.className) is removed.")
        }
        return lines
    }

    private static func changes(from before: ObjectSchema, to after: ObjectSchema) -> [String] {
        var lines: [String] = []
        for property in after.properties {
            let name = "\(after.className).\(property.name)"
            guard let old = before[property.name] else {
                lines.append("\(name) of type \(property.typeName) is added.")
                continue
            }
            // a class can have the name of a type of values
            if !equalUTF8(old.typeName, property.typeName)
                || (old.type == .object) != (property.type == .object)
            {
                lines.append("\(name) changes from \(old.typeName) to \(property.typeName).")
            }
            if old.isPrimaryKey != property.isPrimaryKey {
                lines.append(
                    "\(name) \(property.isPrimaryKey ? "becomes" : "is no longer") the primary key."
                )
            } else if old.isIndexed != property.isIndexed {
                lines.append("\(name) \(property.isIndexed ? "gets" : "loses") an index.")
            }
            if old.isFullTextIndexed != property.isFullTextIndexed {
                lines.append(
                    "\(name) \(property.isFullTextIndexed ? "gets" : "loses") a full-text index.")
            }
            if old.isGeoIndexed != property.isGeoIndexed {
                lines.append(
                    "\(name) \(property.isGeoIndexed ? "gets" : "loses") a geospatial index.")
            }
        }
        for old in before.properties where after[old.name] == nil {
            lines.append("\(after.className).\(old.name) is removed.")
        }
        return lines
    }
}

extension MigrationReport: CustomStringConvertible {
    /// The versions, the schema differences, and the classes whose number of objects changed.
    public var description: String {
        var lines = ["Schema version \(versions.old) to \(versions.new)."] + changes
        for (name, old, new) in changedCounts {
            lines.append("The number of \(name) objects changes from \(old) to \(new).")
        }
        return lines.joined(separator: "\n")
    }
}
