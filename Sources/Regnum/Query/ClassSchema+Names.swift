internal import RegnumEngine

// Looking up properties by name, for callers that don't know the class, and for sorts and distinct
// values given by name.

extension ClassSchema {
    /// Returns the index of the property with a name. Throws `.invalidInput` if the class has none.
    func requireProperty(named name: String) throws(Realm.Error) -> Int {
        guard let index = property(named: name) else {
            throw unknownProperty(name)
        }
        return index
    }

    /// Returns the error for a name that isn't that of a property.
    func unknownProperty(_ name: String) -> Realm.Error {
        .unknownProperty(name, of: self.name, with: properties.map(\.name))
    }

    /// Returns the error for an assignment to an inverse.
    func assignedInverse(_ property: PropertySchema) -> Realm.Error {
        refusal(property.name, property.inverseProblem)
    }

    /// Returns an error about a property given by name, with the reason why it can't be used.
    func refusal(_ name: String, _ message: String) -> Realm.Error {
        Realm.Error(
            .invalidInput, "\(self.name).\(name) \(message)", className: self.name,
            property: name)
    }

    /// Returns the sort term for a key path given as text.
    func term(along keyPath: String, ascending: Bool) throws(Realm.Error) -> SortTerm {
        SortTerm(column: try column(along: keyPath), ascending: ascending)
    }

    /// Returns a sort term of a superclass as one of this class, which may store its properties
    /// under other names.
    func term(_ term: SortTerm, of base: ClassSchema) -> SortTerm {
        if base === self { return term }
        var column = term.column
        let stored = column.hops.first?.name ?? column.name
        let named = base.properties.first {
            equalUTF8($0.columnName, stored) || equalUTF8($0.anyItemsName, stored)
        }
        guard let named, let index = property(named: named.name) else { return term }
        let own = properties[index]
        let (oldElements, elements) = (base.elementsName(of: named), elementsName(of: own))
        for index in column.hops.indices where equalUTF8(column.hops[index].target, oldElements) {
            column.hops[index].target = elements
        }
        if column.hops.isEmpty {
            column.name = own.columnName
        } else if equalUTF8(named.columnName, stored) {
            column.hops[0].name = own.columnName
        } else {
            column.hops[0].name = own.anyItemsName
            column.hops[0].holder = StoredText(own.columnName)
        }
        return SortTerm(column: column, ascending: term.ascending)
    }

    /// Returns the values at the end of key paths given as text.
    func columns(along keyPaths: [String]) throws(Realm.Error) -> [ColumnReference] {
        try keyPaths.map { (keyPath) throws(Realm.Error) in try column(along: keyPath) }
    }

    /// Returns the values at the end of key paths.
    func columns<T: ObjectBase>(of keyPaths: [PartialKeyPath<T>]) -> [ColumnReference] {
        keyPaths.map { requireColumn($0) }
    }

    /// Returns the value at the end of a key path given as text, as queries reference it.
    private func column(along keyPath: String) throws(Realm.Error) -> ColumnReference {
        var owner = self
        var hops: [Hop] = []
        let path = try self.path(along: keyPath).properties
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
                    "The key path \"\(keyPath)\" of \(name) can't be used for sorting or "
                        + "distinct: \(owner.name).\(property.name) is of type "
                        + "\(property.shape.swiftName). Use a property with a single value, "
                        + "which may belong to a linked object.",
                    className: owner.name, property: property.name)
            }
        }
        preconditionFailure("A key path has no property.")
    }
}

extension PropertySchema {
    /// The reason why an inverse can't be assigned to, for the end of a message.
    var inverseProblem: String {
        guard case .linkingObjects(let origin) = shape else { return "cannot be set." }
        let name = "\(ClassSchema.of(origin).name).\(originProperty ?? "")"
        return "cannot be set: it is the inverse of \(name)."
    }
}

extension Realm.Error {
    /// Returns the error for a name that isn't that of a property of the class.
    static func unknownProperty(
        _ name: String, of className: String, with names: [String]
    ) -> Realm.Error {
        Realm.Error(
            .invalidInput,
            "\(className) has no property \"\(name)\": it has \(names.joined(separator: ", ")).",
            className: className, property: name)
    }

    /// Returns the error for an object that lacks a property of the class to be created from it.
    static func missing(
        _ property: String, in source: String, creating className: String
    ) -> Realm.Error {
        Realm.Error(
            .invalidValue,
            "Cannot create \(className.withArticle) from \(source.withArticle), which has no "
                + "property \"\(property)\".", className: className, property: property)
    }
}
