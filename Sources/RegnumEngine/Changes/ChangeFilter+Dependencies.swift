extension ChangeFilter {
    /// Returns the classes of which a changed row can mark other rows of the given class. Commits
    /// that change neither these classes nor the given one mark nothing. Includes the given class
    /// only if its rows can be reached from it, the hidden element classes of lists of values, and
    /// classes that paths lead through but that aren't stored yet.
    ///
    /// - Complexity: O(classes and their links), O(hops) for paths.
    package func linkedDependencies(
        of tableName: String, in schema: DatabaseSchema
    ) -> Set<StoredText> {
        var names: Set<StoredText> = []
        switch self {
        case .deep(let depth):
            guard let table = schema.table(named: tableName) else { return names }
            let depth = LinkReach.limited(depth)
            let reach = LinkReach(from: table.key, depth: depth, in: schema)
            for other in schema.tables where reach[other.key] != LinkReach.never {
                if reach.approaches[other.key.index] < depth {
                    names.insert(StoredText(other.name))
                }
                for list in other.lists { schema.addElements(of: list, to: &names) }
            }
        case .paths(let paths):
            for path in paths { path.addDependencies(of: tableName, in: schema, to: &names) }
        }
        return names
    }
}

extension ChangePath {
    fileprivate func addDependencies(
        of tableName: String, in schema: DatabaseSchema, to names: inout Set<StoredText>
    ) {
        for hop in hops { names.insert(StoredText(hop.target)) }
        switch last {
        case .backlinks(_, let target):
            names.insert(target)
        case .property(let name):
            let table = schema.table(named: hops.last?.target ?? tableName)
            if let list = table?.list(named: name.wrappedValue) {
                schema.addElements(of: list, to: &names)
            }
        }
    }
}

extension DatabaseSchema {
    /// Adds the hidden class of a list of values or a map. Elements of a set are never modified in
    /// place, and a change within a value of any type touches the row that has the value, so both
    /// always show up as a change of their owner.
    fileprivate func addElements(of list: ListSchema, to names: inout Set<StoredText>) {
        let target = tables[list.target.index]
        guard target.kind == .elements, list.kind != .set, list.name.itemsProperty == nil else {
            return
        }
        names.insert(StoredText(target.name))
    }
}
