internal import RegnumEngine
internal import RegnumStore

// Misuse of objects of a class fails the transaction or traps with a message.

extension ClassBinding {
    /// Fails the transaction because a stored value isn't valid for its property's type.
    func reportUndecodable(_ value: Value, _ column: Int32) {
        reportUndecodable(value, property: propertyIndex(of: column))
    }

    func reportUndecodable(_ value: Value, property: Int) {
        reportUndecodable(value.keyText, property: property)
    }

    func reportUndecodable(_ value: String, property: Int) {
        core?.fail(.undecodable(tableName, schema.properties[property].name, value))
    }

    /// Fails the transaction because a row doesn't exist. Only a damaged file can cause this,
    /// unless the transaction has deleted the object. Traps after the body has returned.
    ///
    /// - Parameters:
    ///   - property: The property that was accessed; `nil` if a link refers to the row.
    ///   - row: The row of the accessed object.
    func failMissing(_ property: Int?, of row: UInt64) {
        guard let core else { trapNoRow(~Int32(property ?? 0)) }
        switch core.state {
        case .ended: trapEnded(~Int32(property ?? 0))
        case .reading: core.fail(.missingRow(tableName))
        case .writing:
            guard let property,
                place.table < 0 || core.hasDeleted(place.tableKey, ObjectKey(rawValue: row))
            else { return core.fail(.missingRow(tableName)) }
            core.fail(.deletedObject(tableName, schema.properties[property].name, core.place))
        }
    }

    /// Traps because a property was changed outside of a write.
    func trapNotWriting(_ property: Int) -> Never {
        guard let core else { trapNoRow(~Int32(property)) }
        if case .ended = core.state { trapEnded(~Int32(property)) }
        fatalError(
            "\(tableName).\(schema.properties[property].name) was changed in the read at "
                + "\(core.place): objects can only be changed in a write.")
    }

    private var callPlace: String { core.map { "\($0.place)" } ?? "an unknown place" }

    /// Returns the name of the property with the given number in its wrapper, qualified with its
    /// class.
    func propertyName(ofColumn column: Int32) -> String { "\(tableName).\(propertyName(column))" }

    func propertyName(_ column: Int32) -> String {
        schema.properties[propertyIndex(of: column)].name
    }

    func trapEnded(_ column: Int32) -> Never {
        fatalError(
            "\(tableName).\(propertyName(column)) was used after the body of the transaction at "
                + "\(callPlace) had returned: objects are valid only inside it. Return a value, or "
                + "take a Frozen from a snapshot.")
    }

    func trapNoRow(_ column: Int32) -> Never {
        fatalError("\(tableName).\(propertyName(column)) was used on an object without a row.")
    }
}

extension Realm.Error {
    /// The error for accessing a property of an object that the transaction has deleted.
    static func deletedObject(
        _ className: String, _ property: String, _ place: CallPlace
    ) -> Realm.Error {
        Realm.Error(
            .invalidInput,
            "\(className).\(property) of a deleted object was used in the transaction at \(place): "
                + "check isInvalidated first.", className: className, property: property)
    }

    /// The error for passing a deleted object as an argument.
    static func deletedArgument(
        _ className: String, _ call: StaticString, _ place: CallPlace
    ) -> Realm.Error {
        Realm.Error(
            .invalidInput,
            "A deleted \(className) was passed to \(call) in the transaction at \(place): check "
                + "isInvalidated first.", className: className)
    }
}
