internal import RegnumEngine
internal import RegnumStore

extension RealmCore {
    /// Returns whether a cursor refers to a newer version than a root. Another process may have
    /// created it, so in that case this process has caught up with the log when the function
    /// returns. Returns `nil` if the realm is closed.
    ///
    /// Throws `.invalidInput` for a cursor from another realm, and errors that keep this process
    /// from reading.
    func isAhead(_ cursor: ChangeCursor, of root: DatabaseRoot) async throws(Realm.Error) -> Bool? {
        guard cursor.isOf(root) else {
            throw Realm.Error(
                .invalidInput,
                "The cursor \(cursor) doesn't belong to the realm \"\(configuration.name)\".")
        }
        guard cursor.version > root.version else { return false }
        do throws(StoreError) {
            try await coordinator.catchUp()
        } catch {
            if error.code == .closed { return nil }
            throw Realm.Error(error)
        }
        return true
    }

    /// Throws `.invalidInput` for a cursor of a version that the realm doesn't have.
    func check(_ cursor: ChangeCursor, _ newest: DatabaseRoot) throws(Realm.Error) {
        guard cursor.version > newest.version else { return }
        throw Realm.Error(
            .invalidInput,
            "The cursor \(cursor) refers to a version that the realm "
                + "\"\(configuration.name)\" does not have: it is at version \(newest.version).")
    }

    /// Throws the error, if any, that keeps this process from following the commits of others.
    func checkReadable() throws(Realm.Error) {
        try engine { () throws(StoreError) in try coordinator.checkReadable() }
    }
}
