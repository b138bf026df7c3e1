internal import RegnumEngine

// Sorting and distinct values by the names of properties, for who does not know the class.

extension Queryable {
    /// The objects sorted by a property, given by its name or, of linked objects, by names with dots
    /// between them: `"dog.age"`. A projection's objects go by the names of their model.
    ///
    /// - Throws: `.invalidInput` for a path that does not lead to a value through links: it names the
    ///   property and the class reached.
    /// - Complexity: O(1): nothing is evaluated before the result is used.
    public func sorted(
        byKeyPath keyPath: String, ascending: Bool = true
    ) throws(Realm.Error) -> Self {
        let column = try ClassSchema.of(Model.self).column(along: keyPath)
        var plan = _plan
        plan.plan.addSort([SortTerm(column: column, ascending: ascending)])
        return _with(plan)
    }

    /// As `distinct(by:)`, with the names of properties: `["room", "author.name"]`. None of them change
    /// nothing.
    ///
    /// - Throws: as `sorted(byKeyPath:ascending:)`.
    /// - Complexity: O(1): nothing is evaluated before the result is used.
    public func distinct(byKeyPaths keyPaths: [String]) throws(Realm.Error) -> Self {
        if keyPaths.isEmpty { return self }
        let schema = ClassSchema.of(Model.self)
        var columns: [ColumnReference] = []
        for keyPath in keyPaths { columns.append(try schema.column(along: keyPath)) }
        var plan = _plan
        plan.plan.steps.append(.distinct(columns))
        return _with(plan)
    }
}

extension ObjectCollection {
    /// The objects sorted by a property, given by its name: see `Results.sorted(byKeyPath:ascending:)`.
    ///
    /// - Throws: `.invalidInput` for a path that does not lead to a value through links.
    /// - Precondition: the collection is managed.
    public func sorted(
        byKeyPath keyPath: String, ascending: Bool = true
    ) throws(Realm.Error) -> Results<Element> {
        try results("sorted(byKeyPath:)").sorted(byKeyPath: keyPath, ascending: ascending)
    }

    /// As `distinct(by:)`, with the names of properties.
    ///
    /// - Throws: `.invalidInput` for a path that does not lead to a value through links.
    /// - Precondition: the collection is managed.
    public func distinct(byKeyPaths keyPaths: [String]) throws(Realm.Error) -> Results<Element> {
        try results("distinct(byKeyPaths:)").distinct(byKeyPaths: keyPaths)
    }
}

extension ClassSchema {
    /// The value that a key path as text leads to, as queries name it.
    fileprivate func column(along keyPath: String) throws(Realm.Error) -> ColumnReference {
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
