internal import RegnumEngine

// Sorting and distinct values by the names of properties, for who does not know the class.

extension ClassSchema {
    /// The value that a key path as text leads to, as sorts name it.
    func term(along keyPath: String, ascending: Bool) throws(Realm.Error) -> SortTerm {
        SortTerm(column: try column(along: keyPath), ascending: ascending)
    }

    /// The values that key paths as text lead to.
    func columns(along keyPaths: [String]) throws(Realm.Error) -> [ColumnReference] {
        var columns: [ColumnReference] = []
        for keyPath in keyPaths { columns.append(try column(along: keyPath)) }
        return columns
    }

    /// The values that key paths lead to.
    func columns<T: ObjectBase>(of keyPaths: [PartialKeyPath<T>]) -> [ColumnReference] {
        keyPaths.map { requireColumn($0) }
    }

    /// The value that a key path as text leads to, as queries name it.
    private func column(along keyPath: String) throws(Realm.Error) -> ColumnReference {
        var owner = self
        var hops: [Hop] = []
        let path = try properties(along: keyPath)
        for (position, property) in path.enumerated() {
            let isLast = position == path.count - 1
            switch (property.shape, isLast) {
            case (.scalar, true):
                var column = property.reference
                column.hops = hops
                return column
            case (.link(let type), false):
                hops += owner.hops(through: property)
                owner = ClassSchema.of(type)
            default:
                throw Realm.Error(
                    .invalidInput,
                    "The key path '\(keyPath)' of \(name) leads to '\(property.name)' of "
                        + "\(owner.name), which is of type \(property.shape.swiftName): results are "
                        + "sorted and made distinct by values, which links may lead to.",
                    className: owner.name, property: property.name)
            }
        }
        preconditionFailure("A key path has a property.")
    }
}
