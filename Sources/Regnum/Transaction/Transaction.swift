package import RegnumEngine
internal import RegnumStore

/// The interface through which a `write` or `read` body accesses one consistent state of the realm.
///
///     try await realm.write { tx in
///         let room = try tx.object(Room.self, forPrimaryKey: "general") ?? makeRoom(tx)
///         room.topic = "Everything"
///         try tx.add(Message(room: room.name, text: "hello"))
///     }
///
/// The transaction and everything read from it are confined to the body: the compiler rejects the
/// leaks that it can detect, and using an object that escaped anyway traps with a message. The body
/// sees its own changes at once; everyone else sees them all together, when `write` returns.
public final class Transaction {
    let core: TransactionCore

    init(_ core: TransactionCore) {
        self.core = core
    }

    /// The version that the realm will have if the body returns now: in a `write`, the version from
    /// which the body started, plus one if the body has changed anything so far; in a `read`, the
    /// version being read.
    ///
    /// To pass it to `snapshot(atLeast:)`, read it at the end of the body.
    /// ``Realm/snapshot(origin:durability:file:line:afterWriting:)`` makes that unnecessary.
    public var version: UInt64 {
        switch core.state {
        case .writing(let transaction):
            transaction.hasChanges ? transaction.version : transaction.base.version
        case .reading(let root): root.version
        case .ended: trapEnded("version")
        }
    }

    /// Whether the realm contains no objects, as the body sees it. Undelivered asymmetric objects
    /// don't count.
    ///
    /// - Complexity: O(number of classes).
    public var isEmpty: Bool {
        guard let view = core.view else { trapEnded("isEmpty") }
        return view.isEmpty
    }

    /// Returns all objects of a class. The results always reflect the current state of the
    /// transaction.
    ///
    /// - Precondition: The class is in `Configuration.objectTypes`, if that is set.
    /// - Complexity: O(1). The query is evaluated when the results are used.
    public func objects<T: Object>(_ type: T.Type) -> Results<T> {
        Results(binding(for: type, "objects"), plan: .all(of: type))
    }

    /// Returns the object with the given primary key, or `nil` if there is none.
    ///
    /// - Parameter key: A value of the type of the class's primary key. `nil` finds the object
    ///   whose key is `nil`; a required key is never `nil`.
    /// - Precondition: The class has a primary key of that type.
    /// - Complexity: O(log n).
    public func object<T: Object, Key: ScalarValue>(
        _ type: T.Type, forPrimaryKey key: Key
    ) -> T? where Key._Basis: PrimaryKeyValue {
        let binding = binding(for: type, "object(_:forPrimaryKey:)")
        let place = binding.place
        if place.integerKeySlot >= 0, let key = key as? Int {
            let row = core.find(place.table, slot: place.integerKeySlot, Int64(key))
            return row.map { binding.accessor(type, row: ObjectKey(rawValue: $0)) }
        }
        let value = binding.schema.requirePrimaryKey(key)
        guard let table = binding.mapping?.table else { return nil }
        let row = core.view?.find(table.key, primaryKey: value)
        return row.map { binding.accessor(type, row: $0) }
    }

    /// Returns the checked binding of a class. A class that doesn't match the stored schema fails
    /// the transaction, and appears empty until the body returns.
    func binding(for type: ObjectBase.Type, _ call: StaticString) -> ClassBinding {
        if case .ended = core.state { trapEnded(call) }
        let binding = core.binding(for: type)
        binding.refresh()
        if binding.place.isMismatch, let mismatch = binding.mapping?.mismatch {
            core.fail(mismatch)
        }
        if type != binding.schema.type,
            let error = ProjectionSchema.of(type)?.declarationError
        {
            core.fail(error)
        }
        return binding
    }

    func trapEnded(_ call: StaticString) -> Never {
        fatalError(
            "Transaction.\(call) was used after the body of the transaction at \(core.place) had "
                + "returned.")
    }

    /// Returns the running write. Traps in a read and after the body has returned.
    package func requireWriting(_ call: StaticString) -> EngineTransaction {
        guard let transaction = core.writing else {
            if case .ended = core.state { trapEnded(call) }
            fatalError(
                "Transaction.\(call) was called in the read at \(core.place): objects can "
                    + "only be changed in a write.")
        }
        return transaction
    }
}

@available(*, unavailable, message: "a transaction is confined to its body")
extension Transaction: Sendable {}
