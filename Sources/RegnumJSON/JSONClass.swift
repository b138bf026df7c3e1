package import Regnum
package import RegnumEngine

/// A class as stored in the file, for programs that don't know its Swift type.
package struct JSONClass: Sendable, Hashable {
    @StoredText package var name: String
    package let isEmbedded: Bool
    /// Whether its objects are asymmetric: only passed on to a drain.
    package var isAsymmetric = false
    package var properties: [JSONProperty]

    /// A description of its objects for messages and listings.
    package var kindText: String {
        isEmbedded ? "embedded objects" : isAsymmetric ? "asymmetric objects" : "objects"
    }
}

/// A property as stored in the file.
package struct JSONProperty: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        case value(ScalarType)
        /// An object of a class; inline if the class is embedded.
        case object(StoredText)
    }

    @StoredText package var name: String
    /// The kind of collection; `nil` for a single value or link.
    package let collection: ListKind?
    /// The content of the property, or of each element.
    package let content: Content
    /// Whether the content can be `nil`.
    package let isOptional: Bool
    package var isPrimaryKey = false
    package var isIndexed = false
    package var isFullTextIndexed = false
    /// Whether a list of doubles has a geospatial index.
    package var isGeoIndexed = false
    package var defaultValue = Value.null

    /// The Swift type, as far as it is known from the file.
    package var swiftType: String {
        var type =
            switch content {
            case .value(let type): type.swiftName
            case .object(let name): name.wrappedValue
            }
        if isOptional { type += "?" }
        return collection?.swiftName(of: type) ?? type
    }
}

extension DatabaseSchema {
    func storedClass(_ table: TableSchema) -> JSONClass {
        let columns = table.columns.filter { !$0.isDropped }.map { column in
            JSONProperty(
                name: column.name, collection: nil, content: content(column),
                isOptional: column.isOptional, isPrimaryKey: column.isPrimaryKey,
                isIndexed: column.isIndexed && column.linkTarget == nil && column.type != .any,
                isFullTextIndexed: column.isFullTextIndexed, defaultValue: column.defaultValue)
        }
        let lists = table.lists.filter { !$0.isDropped && $0.name.itemsProperty == nil }.map {
            list in
            let target = tables[Int(list.target.rawValue)]
            let isOfValues = target.kind == .elements
            return JSONProperty(
                name: list.name, collection: list.kind,
                content: isOfValues
                    ? content(target.columns[0]) : .object(StoredText(target.name)),
                isOptional: isOfValues && target.columns[0].isOptional,
                isGeoIndexed: list.isGeoIndexed)
        }
        return JSONClass(
            name: table.name, isEmbedded: table.kind == .embedded,
            isAsymmetric: table.kind == .asymmetric, properties: columns + lists)
    }

    private func content(_ column: ColumnSchema) -> JSONProperty.Content {
        if let target = column.linkTarget {
            return .object(StoredText(tables[Int(target.rawValue)].name))
        }
        return .value(column.scalarType)
    }
}

extension TableSchema {
    /// Whether the class is visible to programs.
    var isExported: Bool { kind != .elements && !isDropped }

    /// Whether objects of the class exist independently of others: those that links lead to, and
    /// asymmetric ones.
    var hasOwnObjects: Bool { kind == .object || kind == .asymmetric }
}

extension Snapshot {
    /// The classes of objects, including embedded and asymmetric ones, in the order in which they
    /// were added, with the number of objects of each.
    package var storedClasses: [(schema: JSONClass, objectCount: Int)] {
        root.schema.tables.filter(\.isExported).map { table in
            (root.schema.storedClass(table), root.count(table.key))
        }
    }

    /// The stored schema version.
    package var schemaVersion: UInt64 { root.schema.version }
}
