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
        let property = schema.properties[property]
        core?.fail(
            Realm.Error(
                .invalidValue,
                "\(tableName).\(property.name) is stored as \(value.keyText), which is no value of "
                    + "its type: another version of the program may have written it.",
                className: tableName, property: property.name))
    }

    /// Whether a row that is not there is none of a deleted object: nothing is deleted in a read, so
    /// that only a damaged file leads to it. Fails the transaction then.
    func isMissing(row: UInt64) -> Bool {
        guard let core, case .reading = core.state else { return false }
        core.fail(
            Realm.Error(
                .invalidDatabase,
                "The file is damaged: it leads to a \(tableName) that does not exist.",
                className: tableName))
        return true
    }

    /// Ends the process: the object of a list or inverse is gone, or its transaction over.
    func trapUnreadable(_ property: Int) -> Never {
        let column = ~Int32(property)
        guard let core else { trapNoRow(column) }
        if case .ended = core.state { trapEnded(column) }
        trapDeleted(column)
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

    func trapDeleted(_ column: Int32) -> Never {
        fatalError(
            "\(tableName).\(propertyName(column)) of a deleted object was used in the transaction "
                + "at \(callPlace): ask isInvalidated first.")
    }

    func trapNoRow(_ column: Int32) -> Never {
        fatalError("\(tableName).\(propertyName(column)) was used on an object without a row.")
    }
}
