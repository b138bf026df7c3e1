package import RegnumStore

/// A salvage: writes what can be read of a damaged realm to a new one (`SalvageWriter`).
package enum RealmSalvage {
    private static let fileSystem = PosixFileSystem.shared

    /// Salvages the realm in the directory `path`, without changing anything in it.
    ///
    /// Throws `fileNotFound` if there is no realm; `invalidDatabase` if nothing can be read of it;
    /// `unsupportedFormat`; `fileExists` if the target exists; the errors of the file system;
    /// `closed` if it is cancelled. On an error nothing is left at the target.
    ///
    /// - Parameters:
    ///   - target: the directory to create; a path without a trailing slash.
    ///   - key: the key of both realms.
    /// - Complexity: Reads everything three times, and keeps in memory what opening does: the
    ///   directories of checkpoints, and the changes since then.
    package static func run(
        _ path: String, to target: String, _ key: EncryptionKey?, isCancelled: CancellationFlag
    ) async throws -> SalvageFindings {
        let place = try await Coordinator.onPool { () throws(StoreError) in
            guard try RealmLog.exists(fileSystem, path: path) else {
                throw RealmLog.absence(fileSystem, path: path)
            }
            return try UnfinishedRealm.make(target, "salvage", fileSystem)
        }
        do throws(StoreError) {
            let writer = try await Coordinator.onPool { () throws(StoreError) in
                let plan = try SalvagePlan(path, key) { isCancelled.isSet }
                try check(isCancelled, target)
                return SalvageWriter(plan.source, plan.findings)
            }
            let findings = try await write(writer, to: place.path, key) { () throws(StoreError) in
                try check(isCancelled, target)
            }
            try await Coordinator.onPool { () throws(StoreError) in
                let result = try RealmCheck.run(place.path, key, limit: 1) { isCancelled.isSet }
                try check(isCancelled, target)
                if let damage = result.damages.first {
                    throw StoreError(
                        .invalidDatabase,
                        "The readable content of \(path) is inconsistent. \(damage.message)",
                        path: path, className: damage.className, property: damage.property,
                        key: damage.key)
                }
                try place.complete()
            }
            return findings
        } catch {
            throw try await Coordinator.onPool { () throws(StoreError) in
                place.remove(after: error)
            }
        }
    }

    private static func check(
        _ isCancelled: CancellationFlag, _ target: String
    ) throws(StoreError) {
        if isCancelled.isSet {
            throw StoreError(.closed, "The salvage was cancelled.", path: target)
        }
    }

    private static func write(
        _ writer: SalvageWriter, to path: String, _ key: EncryptionKey?,
        _ checkCancellation: @escaping @Sendable () throws(StoreError) -> Void
    ) async throws(StoreError) -> SalvageFindings {
        var options = CoordinatorOptions(place: .directory(path: path), fileSystem: fileSystem)
        options.store.allowsNetworkFileSystem = true  // the realm isn't shared yet
        options.store.key = key
        let coordinator: Coordinator
        do {
            coordinator = try await Coordinator.open(options)
        } catch {
            throw StoreError(uncancelled: error, path)
        }
        let findings: SalvageFindings
        do {
            while !writer.isAtEnd {
                try checkCancellation()
                try await writeBatch(writer, coordinator)
            }
            let root = coordinator.published
            findings = try await Coordinator.onPool { () throws(StoreError) in
                writer.finish(root)
            }
        } catch {
            await coordinator.close()
            throw StoreError(uncancelled: error, path)
        }
        await coordinator.close()
        return findings
    }

    private static func writeBatch(
        _ writer: SalvageWriter, _ coordinator: Coordinator
    ) async throws {
        let turn = try await coordinator.beginWrite()
        let commit: Commit?
        do {
            commit = try await Coordinator.onPool { () throws(StoreError) in
                let transaction = EngineTransaction(base: turn.base)
                try writer.write(to: transaction)
                guard transaction.hasChanges else { return nil }
                return try transaction.commit(
                    timestampMicroseconds: fileSystem.wallClockMicroseconds())
            }
        } catch {
            try? await coordinator.abandon(turn)
            throw error
        }
        if let commit {
            try await coordinator.commit(turn, commit, durability: .full)
        } else {
            try await coordinator.abandon(turn)
        }
    }
}

extension StoreError {
    /// Returns an error of a realm that only the salvage uses. A cancelled task is the only other
    /// kind of error.
    fileprivate init(uncancelled error: any Error, _ path: String) {
        self =
            error as? StoreError
            ?? StoreError(.closed, "The salvage was cancelled.", path: path)
    }
}
