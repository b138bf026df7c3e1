internal import FoundationEssentials
public import Regnum
internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// Opens an independent in-memory realm with the content of the newest published version, and
    /// with the same classes and schema version. It is discarded when it is closed or released.
    ///
    ///     let realm = try await shop.fork()
    ///
    /// The realms share the content: nothing is copied until the first write to the fork, which
    /// copies what the original has in memory. (Unchanged content of a realm in a directory is read
    /// from its files as needed.) Writes to the original copy nothing. The original may be in use,
    /// and may be closed before the fork.
    ///
    /// A `ChangeCursor` for this version is valid in both realms; those of later versions are valid
    /// only in the realm that made the commits. Like any in-memory realm, the fork keeps no
    /// history, and it isn't encrypted.
    ///
    /// - Throws: The errors of `open`.
    /// - Complexity: O(1); O(n) for the first write to the fork, about as long as copying its
    ///   memory.
    public nonisolated func fork() async throws -> Realm {
        let root = snapshot().root
        var configuration = self.configuration
        configuration.name = "fork of \(configuration.name)"
        configuration.location = .inMemory(identifier: "fork-\(UUID().uuidString)")
        configuration.schemaVersion = root.schema.version
        configuration.readOnly = false
        configuration.deleteRealmIfMigrationNeeded = false
        configuration.historyRetention = nil
        configuration.seedFile = nil
        configuration.encryptionKey = nil  // which only realms in a directory can have
        configuration.formerEncryptionKeys = []
        // weak, because the configuration lasts longer than the first version
        let timelines = self.timelines
        configuration.adjust = { [weak root] in
            $0.forkedRoot = root
            $0.forkedTimelines = timelines
        }
        let fork = try await Realm.open(configuration)
        withExtendedLifetime(root) {}
        return fork
    }
}

/// Content that the realms of several tests start with. It is created once.
///
///     static let shop = RealmTemplate([Customer.self, Order.self]) { tx in
///         try tx.add(Customer(name: "ann"))
///     }
///
///     @Test func ordersAreConfirmed() async throws {
///         let realm = try await Self.shop.fork()
///         …
///     }
public struct RealmTemplate: Sendable {
    private let realm: Task<Realm, any Error>

    /// Creates a template, and starts creating its content in the background.
    ///
    /// - Parameters:
    ///   - types: The classes of the realms. `nil` means that each class joins a realm when it is
    ///     first used.
    ///   - body: Writes the content, in a transaction.
    public init(
        _ types: [ObjectBase.Type]? = nil,
        _ body: @escaping @Sendable (Transaction) throws -> Void
    ) {
        realm = Task {
            let realm = try await Realm.temporary(types)
            try await realm.write { tx in try body(tx) }
            return realm
        }
    }

    /// Opens an independent in-memory realm that starts with the content of the template; see
    /// ``Regnum/Realm/fork()``. Waits until the content has been created.
    ///
    /// - Throws: The errors of creating the content, on every call; the errors of `open`.
    public func fork() async throws -> Realm { try await realm.value.fork() }
}
