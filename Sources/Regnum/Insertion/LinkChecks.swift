package import RegnumEngine
package import RegnumStore

// Checks of the objects that are given to links and lists: they must be of this transaction and of
// the declared class, and embedded ones must not have an owner.

extension TransactionCore {
    /// Returns the row of an object for a link or list of `schema`, adding an unmanaged object.
    ///
    /// Throws the errors of `Transaction.add`, and `.invalidValue` for an object that was deleted,
    /// belongs to another transaction, is of another class, or is embedded and has an owner.
    func store(
        _ object: ObjectBase, for property: PropertySchema, _ schema: ClassSchema
    ) throws(Realm.Error) -> ObjectKey {
        if let binding = object._binding {
            try checkLinkable(object, binding, schema, property)
            return ObjectKey(rawValue: object._row)
        }
        try TransactionCore.checkClass(object, schema, property)
        guard let transaction = writing else {
            preconditionFailure("Only a write stores objects.")
        }
        return try GraphInsertion(self, transaction).add(object)
    }

    /// Returns the rows of objects for a list or set of `schema`, adding unmanaged objects.
    ///
    /// Throws the errors of `store(_:for:_:)`; then nothing is changed.
    func store(
        _ objects: [ObjectBase], for property: PropertySchema, _ schema: ClassSchema
    ) throws(Realm.Error) -> [ObjectKey] {
        guard let transaction = writing else {
            preconditionFailure("Only a write stores objects.")
        }
        return try GraphInsertion(self, transaction).add(objects, schema, property)
    }

    /// Throws `.invalidValue` for a managed object that can't be linked to from here.
    func checkLinkable(
        _ object: ObjectBase, _ binding: ClassBinding, _ schema: ClassSchema,
        _ property: PropertySchema
    ) throws(Realm.Error) {
        let name = "\(type(of: object))"
        guard binding.core === self else {
            throw .unlinkable(
                "\(name.withArticle) from another transaction: look the object up in this one, or "
                    + "add a new one.", schema, property)
        }
        guard binding.isReadable(row: object._row) else {
            throw .unlinkable("a deleted \(name).", schema, property)
        }
        try TransactionCore.checkClass(object, schema, property)
        if property.isOwning {
            throw .unlinkable(
                "\(name.withArticle) that belongs to another property: an embedded object has one "
                    + "owner. Create a new one.", schema, property)
        }
    }

    /// Throws `.invalidValue` for an object of a class derived from the declared one, which is
    /// stored separately.
    static func checkClass(
        _ object: ObjectBase, _ schema: ClassSchema, _ property: PropertySchema
    ) throws(Realm.Error) {
        guard let declared = property.shape.targetType, type(of: object) != declared else { return }
        throw .unlinkable(
            "\(withArticle(type(of: object))), but is of type \(property.shape.swiftName): a "
                + "subclass is stored separately, so its objects can't be used as those of its "
                + "base class.", schema, property)
    }
}

extension Realm.Error {
    fileprivate static func unlinkable(
        _ message: String, _ schema: ClassSchema, _ property: PropertySchema
    ) -> Realm.Error {
        .invalidValue(schema.name, property.name, "was given \(message)")
    }

    /// The error for an object in an `AnyRealmValue` of an asymmetric object or of its embedded
    /// objects.
    static func linkOfAsymmetric(
        _ object: String, _ className: String, _ property: String
    ) -> Realm.Error {
        .invalidValue(
            className, property,
            "was given \(object): an asymmetric object can hold values and embedded objects, but "
                + "no links to other objects.")
    }

    /// The error for an asymmetric object in an `AnyRealmValue`.
    static func linkToAsymmetric(
        _ name: String, _ className: String, _ property: String
    ) -> Realm.Error {
        .invalidValue(
            className, property,
            "was given \(name.withArticle): an asymmetric object cannot be linked to, because it "
                + "is removed once it is delivered.")
    }

    static func alreadyOwned(
        _ object: ObjectBase, _ schema: ClassSchema, _ property: PropertySchema
    ) -> Realm.Error {
        .unlinkable(
            "\(withArticle(type(of: object))) that is used twice: an embedded object has one "
                + "owner.",
            schema, property)
    }

    /// Returns the error with the user's class and property names. The hidden class of a list's
    /// values has internal names.
    func naming(_ schema: ClassSchema, _ property: Int) -> Realm.Error {
        let property = schema.properties[property]
        return naming(schema.elementsName(of: property), as: schema.name, property.name)
    }

    /// Returns the public form of an error, with the user's class and property names.
    package static func naming(_ error: StoreError, in schema: DatabaseSchema) -> Realm.Error {
        let named = Realm.Error(error)
        guard let name = error.className, let table = schema.table(named: name),
            table.kind == .elements, let owner = schema.owner(of: table.key)
        else { return named }
        return named.naming(
            name, as: schema.tables[Int(owner.table.rawValue)].name, owner.property)
    }

    private func naming(_ elements: String, as className: String, _ name: String) -> Realm.Error {
        var error = self
        error.message = message.replacing(
            "\(elements).key", with: "A key of \(className).\(name)"
        ).replacing("\(elements).value", with: "\(className).\(name)")
        error.className = className
        error.property = name
        return error
    }
}
