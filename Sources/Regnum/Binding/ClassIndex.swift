internal import RegnumEngine
internal import RegnumStore

/// An index of a stored class that differs from the declaration of its property.
struct ClassIndex: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case values(ColumnKey)
        case words(ColumnKey)
        case points(ListKey)
    }

    let table: TableKey
    let kind: Kind
    /// The position of the property in `ClassSchema.properties`.
    let property: Int
}

extension ClassSchema {
    /// Returns the indexes that the class declares and a table lacks, for properties that the table
    /// has.
    func missingIndexes(in table: TableSchema) -> [ClassIndex] {
        indexes(of: table) { isDeclared, isStored in isDeclared && !isStored }
    }

    /// Returns the indexes that a table has and the class no longer declares. Those of properties
    /// that the class doesn't have belong to other programs.
    func undeclaredIndexes(in table: TableSchema) -> [ClassIndex] {
        indexes(of: table) { isDeclared, isStored in isStored && !isDeclared }
    }

    private func indexes(
        of table: TableSchema, where isWanted: (_ isDeclared: Bool, _ isStored: Bool) -> Bool
    ) -> [ClassIndex] {
        var found: [ClassIndex] = []
        for (position, property) in properties.enumerated() {
            var kinds: [ClassIndex.Kind] = []
            switch property.shape {
            case .scalar where !property.shape.isAny:
                guard let column = table.column(named: property.columnName),
                    column.linkTarget == nil
                else { continue }
                let isKey = property.isPrimaryKey || column.isPrimaryKey
                if !isKey, isWanted(property.isIndexed, column.hasIndex) {
                    kinds.append(.values(column.key))
                }
                if isWanted(property.isFullTextIndexed, column.isFullTextIndexed) {
                    kinds.append(.words(column.key))
                }
            case .list:
                guard let list = table.list(named: property.columnName) else { continue }
                if isWanted(property.isGeoIndexed, list.isGeoIndexed) {
                    kinds.append(.points(list.key))
                }
            case .scalar, .link, .linkingObjects, .set, .map: continue
            }
            for kind in kinds {
                found.append(ClassIndex(table: table.key, kind: kind, property: position))
            }
        }
        return found
    }
}

extension EngineTransaction {
    /// Builds an index that is missing.
    ///
    /// - Complexity: O(n log n).
    func build(_ index: ClassIndex) throws(StoreError) {
        switch index.kind {
        case .values(let column): try addIndex(index.table, column)
        case .words(let column): try addFullTextIndex(index.table, column)
        case .points(let list): try addGeoIndex(index.table, list)
        }
    }

    /// Drops a stored index. The transaction commits in bulk.
    func drop(_ index: ClassIndex) throws(StoreError) {
        let table = schema.tables[Int(index.table.rawValue)]
        switch index.kind {
        case .values(let column):
            let others = table.columns.filter { $0.isIndexed && $0.key != column }
            try setKeys(
                table.key, primaryKey: table.primaryKey, indexed: Set(others.map(\.key)))
        case .words(let column):
            let others = table.columns.filter { $0.isFullTextIndexed && $0.key != column }
            try setFullTextIndexes(table.key, Set(others.map(\.key)))
        case .points(let list):
            let others = table.lists.filter { $0.isGeoIndexed && $0.key != list }
            try setGeoIndexes(table.key, Set(others.map(\.key)))
        }
    }
}
