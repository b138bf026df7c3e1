/// A link column of a class of the realm.
struct LinkPlace: Hashable, Comparable, Sendable {
    let table: TableKey
    let column: ColumnKey

    static func < (a: LinkPlace, b: LinkPlace) -> Bool { (a.table, a.column) < (b.table, b.column) }
}

/// A link column as the edits of its class need it.
struct LinkColumn: Hashable, Sendable {
    let column: ColumnKey
    let target: TableKey
    /// Whether rows of the target belong to what links to them.
    let isOwner: Bool
}

/// What the rows of a class have to do with those of others: found once for a schema, so that edits
/// of rows that have nothing to do with others ask for nothing.
struct TableRelations: Sendable {
    /// The class's link columns, ascending.
    fileprivate(set) var links: [LinkColumn] = []
    /// The class's lists whose elements belong to it, ascending, with the elements' class.
    fileprivate(set) var ownedLists: [(list: ListKey, target: TableKey)] = []
    /// The link columns whose targets are rows of the class, ascending.
    fileprivate(set) var incomingLinks: [LinkPlace] = []
    /// The columns of any type, of all classes, where rows of this one can be linked to: objects.
    fileprivate(set) var incomingAny: [LinkPlace] = []
    /// The lists that hold rows of the class, ascending.
    fileprivate(set) var incomingLists: [ListPlace] = []
    /// Whether rows of other classes, or other rows of this one, go with a row.
    fileprivate(set) var ownsRows = false
    /// Whether the deletion of a row changes nothing but the row and its own indexes.
    fileprivate(set) var isAlone = true

    /// By table key. Keys of classes that do not exist are left out.
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
                relations[list.target.index].incomingLists.append(
                    ListPlace(table: table.key, list: list.key))
                if tables[list.target.index].kind.isOwned {
                    relations[index].ownedLists.append((list.key, list.target))
                    relations[index].ownsRows = true
                }
            }
            if !table.lists.isEmpty { relations[index].isAlone = false }
        }
        let anyColumns = tables.flatMap { table in
            table.columns.filter { $0.type == .any }
                .map { LinkPlace(table: table.key, column: $0.key) }
        }
        for index in relations.indices where tables[index].kind == .object {
            relations[index].incomingAny = anyColumns
        }
        for index in relations.indices {
            let relation = relations[index]
            if relation.ownsRows || !relation.incomingLinks.isEmpty
                || !relation.incomingLists.isEmpty || !relation.incomingAny.isEmpty
            {
                relations[index].isAlone = false
            }
        }
        return relations
    }
}
