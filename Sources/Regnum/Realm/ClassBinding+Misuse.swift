internal import RegnumEngine
internal import RegnumStore

// What happens where objects of a class are misused: the transaction fails, or the process ends with a
// sentence.

extension ClassBinding {
    /// Fails the transaction: a stored value is none of its property's type.
    func reportUndecodable(_ value: Value, _ column: Int32) {
        reportUndecodable(value, property: propertyIndex(of: column))
    }

    func reportUndecodable(_ value: Value, property: Int) {
        reportUndecodable(value.keyText, property: property)
    }

    func reportUndecodable(_ value: String, property: Int) {
        core?.fail(.undecodable(tableName, schema.properties[property].name, value))
    }

    /// Fails the transaction: a row is not there. Nothing is deleted in a read, so that only a
    /// damaged file leads to it; in a write the object was deleted. Traps when the body is over.
    ///
    /// - Parameter property: what was to be used of the object, nil where a link leads to it.
    func failMissing(_ property: Int?) {
        guard let core else { trapNoRow(~Int32(property ?? 0)) }
        switch core.state {
        case .ended: trapEnded(~Int32(property ?? 0))
        case .reading: core.fail(.missingRow(tableName))
        case .writing:
            guard let property else { return core.fail(.missingRow(tableName)) }
            core.fail(.deletedObject(tableName, schema.properties[property].name, core.place))
        }
    }

    /// Ends the process: a change outside of a write.
    func trapNotWriting(_ property: Int) -> Never {
        guard let core else { trapNoRow(~Int32(property)) }
        if case .ended = core.state { trapEnded(~Int32(property)) }
        fatalError(
            "\(tableName).\(schema.properties[property].name) was changed in the read at "
                + "\(core.place): objects can be changed in a write only.")
    }

    private var callPlace: String { core.map { "\($0.place)" } ?? "no place" }

    /// The class and the property whose wrapper holds a number, for sentences.
    func propertyName(ofColumn column: Int32) -> String { "\(tableName).\(propertyName(column))" }

    func propertyName(_ column: Int32) -> String {
        schema.properties[propertyIndex(of: column)].name
    }

    func trapEnded(_ column: Int32) -> Never {
        fatalError(
            "\(tableName).\(propertyName(column)) was used after the body of the transaction at "
                + "\(callPlace) had returned: objects live until then. Return a value, or "
                + "take a Frozen from a snapshot.")
    }

    func trapNoRow(_ column: Int32) -> Never {
        fatalError("\(tableName).\(propertyName(column)) was used on an object without a row.")
    }
}

extension Realm.Error {
    /// A property of an object was used that the transaction has deleted.
    static func deletedObject(
        _ className: String, _ property: String, _ place: CallPlace
    ) -> Realm.Error {
        Realm.Error(
            .invalidInput,
            "\(className).\(property) of a deleted object was used in the transaction at \(place): ask "
                + "isInvalidated first.", className: className, property: property)
    }

    /// A deleted object was an argument.
    static func deletedArgument(
        _ className: String, _ call: StaticString, _ place: CallPlace
    ) -> Realm.Error {
        Realm.Error(
            .invalidInput,
            "A deleted \(className) was passed to \(call) in the transaction at \(place): ask "
                + "isInvalidated first.", className: className)
    }
}
