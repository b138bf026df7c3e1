/// A link column of a particular class.
struct LinkPlace: Hashable, Comparable, Sendable {
    let table: TableKey
    let column: ColumnKey

    static func < (a: LinkPlace, b: LinkPlace) -> Bool { (a.table, a.column) < (b.table, b.column) }
}

/// A link column, as edits of its class use it.
struct LinkColumn: Hashable, Sendable {
    let column: ColumnKey
    let target: TableKey
    /// Whether the link owns its target row.
    let isOwner: Bool
}

/// The relations of a class's rows to other rows, computed once per schema, so that edits of
/// unrelated rows need no lookups.
struct TableRelations: Sendable {
    /// The class's link columns, ascending.
    fileprivate(set) var links: [LinkColumn] = []
    /// The class's lists that own their elements, ascending, with the elements' class.
    fileprivate(set) var ownedLists: [(list: ListKey, target: TableKey)] = []
    /// The link columns that target the class, ascending.
    fileprivate(set) var incomingLinks: [LinkPlace] = []
    /// The columns of any type in all classes, which can link to rows of this class. Empty unless
    /// the class has kind `object`.
    fileprivate(set) var incomingAny: [LinkPlace] = []
    /// The lists whose elements are rows of the class, ascending.
    fileprivate(set) var incomingLists: [ListPlace] = []
    /// Those of them that have a geospatial index.
    fileprivate(set) var incomingPoints: [ListPlace] = []
    /// Whether deleting a row can delete other rows that it owns.
    fileprivate(set) var ownsRows = false
    /// Whether deleting a row changes only the row and its own indexes.
    fileprivate(set) var isAlone = true

    /// Computes the relations of all classes, by table key. References to nonexistent classes are
    /// ignored.
    static func find(_ tables: [TableSchema]) -> [TableRelations] {
        var relations = [TableRelations](repeating: TableRelations(), count: tables.count)
        for table in tables {
            let index = table.key.index
            for column in table.columns {
                guard let target = column.linkTarget, target.index < tables.count else { continue }
                let isOwner = tables[target.index].kind.isOwned
                relations[index].links.append(
                    LinkColumn(column: column.key, target: target, isOwner: isOwner))
                relations[target.index].incomingLinks.append(
                    LinkPlace(table: table.key, column: column.key))
                if isOwner { relations[index].ownsRows = true }
            }
            for list in table.lists where list.target.index < tables.count {
                let place = ListPlace(table: table.key, list: list.key)
                relations[list.target.index].incomingLists.append(place)
                if list.isGeoIndexed { relations[list.target.index].incomingPoints.append(place) }
                if tables[list.target.index].kind.isOwned {
                    relations[index].ownedLists.append((list.key, list.target))
                    relations[index].ownsRows = true
                }
            }
        }
        let anyColumns = tables.flatMap { table in
            table.columns.filter { $0.type == .any }
                .map { LinkPlace(table: table.key, column: $0.key) }
        }
        for index in relations.indices {
            if tables[index].kind == .object { relations[index].incomingAny = anyColumns }
            let relation = relations[index]
            relations[index].isAlone =
                tables[index].lists.isEmpty && !relation.ownsRows && relation.incomingLinks.isEmpty
                && relation.incomingLists.isEmpty && relation.incomingAny.isEmpty
        }
        return relations
    }
}
