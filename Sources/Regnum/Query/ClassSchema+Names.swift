internal import RegnumEngine

// Properties by their names, for who does not know the class, and what sorts and distinct values name so.

extension ClassSchema {
    /// The position of the property of a name. Throws `.invalidInput` where the class has none.
    func requireProperty(named name: String) throws(Realm.Error) -> Int {
        guard let index = property(named: name) else {
            throw refusal(name, "does not exist: the class has no such property.")
        }
        return index
    }

    /// The error that says of a property, given by its name, why it cannot be what was asked.
    func refusal(_ name: String, _ sentence: String) -> Realm.Error {
        Realm.Error(
            .invalidInput, "\(self.name).\(name) \(sentence)", className: self.name,
            property: name)
    }

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
