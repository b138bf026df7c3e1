internal import RegnumEngine
internal import RegnumStore

extension RealmCore {
    /// Whether a cursor is of a newer version than a root: another process may have made it, so that
    /// this one has caught up when the answer comes.
    ///
    /// Throws `invalidInput` for a cursor of another realm, and what keeps this process from reading.
    func isAhead(_ cursor: ChangeCursor, of root: DatabaseRoot) async throws(Realm.Error) -> Bool {
        guard cursor.isOf(root) else {
            throw Realm.Error(
                .invalidInput,
                "The cursor \(cursor) is of another realm than \"\(configuration.name)\".")
        }
        guard cursor.version > root.version else { return false }
        do { try await coordinator.catchUp() } catch { throw Realm.Error(error) }
        return true
    }

    /// Throws `invalidInput` for a cursor of a version that the realm does not have.
    func check(_ cursor: ChangeCursor, _ newest: DatabaseRoot) throws(Realm.Error) {
        guard cursor.version > newest.version else { return }
        throw Realm.Error(
            .invalidInput,
            "The cursor \(cursor) is of a version that the realm \"\(configuration.name)\" does "
                + "not have: it is at version \(newest.version).")
    }

    /// Throws what keeps this process from following the commits of others.
    func checkReadable() throws(Realm.Error) {
        do throws(StoreError) { try coordinator.checkReadable() } catch { throw Realm.Error(error) }
    }
}
