internal import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// Deletes a realm that would have to be migrated, if the configuration says so.
    ///
    /// Others may delete it at the same time, and create it again. So the realm is examined once
    /// more under the lock under which it is deleted.
    ///
    /// - Returns: Whether the coordinator is closed, so that the realm has to be opened again.
    static func deletedInstead(
        of coordinator: Coordinator, _ configuration: Configuration
    ) async throws -> Bool {
        guard configuration.deleteRealmIfMigrationNeeded,
            configuration.mustDelete(coordinator.published)
        else { return false }
        // in use, which opening reports
        guard await coordinator.closeIfUnused() else { return false }
        guard case .file(let url) = configuration.location else { return true }
        let key = coordinator.options.store.key
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(5)
        while true {
            do throws(StoreError) {
                _ = try await RealmContent.remove(url.path, key) { configuration.mustDelete($0) }
                return true
            } catch {
                guard error.code == .alreadyOpen else { throw Error(error) }
                // another opener in this process comes before this one
                if (try? await RealmContent.isOpenHere(url.path)) ?? true { return true }
                // other processes may be about to delete it too, or have done so
                let isOld = try? await RealmContent.holds(url.path, key) {
                    configuration.mustDelete($0)
                }
                guard isOld ?? false else { return true }
                guard clock.now < deadline else { throw Error(error) }
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}

extension Realm.Configuration {
    /// Whether a state is to be deleted instead of migrated. False for a new realm, and for one of
    /// a newer program, which is refused.
    fileprivate func mustDelete(_ root: DatabaseRoot) -> Bool {
        guard root.version > 0, root.schema.version <= schemaVersion else { return false }
        if root.schema.version < schemaVersion { return true }
        return (objectTypes ?? []).contains { type in
            let schema = ClassSchema.of(type._storedType)
            return root.schema.table(named: schema.name)
                .flatMap { schema.mismatch(with: $0, in: root.schema) } != nil
        }
    }
}
