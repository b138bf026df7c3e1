internal import RegnumEngine

/// The class of an object that a query compares with, and identifies by its row. If the class is
/// dropped and declared again, as newer programs may do, other objects may have its rows.
struct OperandClass: Hashable, Sendable {
    let name: StoredText
    let table: TableKey

    /// Returns the error for a version in which another class has the name.
    func problem(in schema: DatabaseSchema) -> Realm.Error? {
        let name = name.wrappedValue
        guard let other = schema.table(named: name)?.key, other != table else { return nil }
        return Realm.Error(
            .invalidQuery,
            "A query was given \(name.withArticle) from another version, but the class was dropped "
                + "and declared again between that version and the one that is queried.",
            className: name)
    }
}

extension Set<OperandClass> {
    /// Returns the error of one of the classes at a version, if any.
    func problem(in schema: DatabaseSchema) -> Realm.Error? {
        lazy.compactMap { $0.problem(in: schema) }.first
    }
}
