internal import RegnumEngine
internal import RegnumStore

/// What the body of `write` or `read` works with: one consistent state of the realm.
///
///     try await realm.write { tx in
///         let room = try tx.object(Room.self, forPrimaryKey: "general") ?? makeRoom(tx)
///         room.topic = "Everything"
///         try tx.add(Message(room: room.name, text: "hello"))
///     }
///
/// The transaction and everything read from it are confined to the body: the compiler rejects
/// leaks that it can see, and using what slipped through ends the process with a sentence. What a
/// write changes is visible to the body at once, and to everybody else together, when `write`
/// returns.
public final class Transaction {
    let core: TransactionCore

    init(_ core: TransactionCore) {
        self.core = core
    }

    /// The version that the realm has if the body ends now: in a `write` the one after that which
    /// the body began with, if it has changed anything so far, else that one. In a `read` the
    /// version being read.
    ///
    /// For `snapshot(atLeast:)` take it at the end of the body;
    /// ``Realm/snapshot(origin:durability:file:line:afterWriting:)`` needs no version.
    public var version: UInt64 {
        switch core.state {
        case .writing(let transaction):
            transaction.hasChanges ? transaction.version : transaction.base.version
        case .reading(let root): root.version
        case .ended: trapEnded("version")
        }
    }

    /// All objects of a class, as the body sees them at each use.
    ///
    /// - Precondition: the class is one of `Configuration.objectTypes`, if there is a list.
    /// - Complexity: O(1): nothing is evaluated until the results are used.
    public func objects<T: Object>(_ type: T.Type) -> Results<T> {
        Results(binding(for: type, "objects"), plan: .all(of: type))
    }

    /// The object with a primary key, nil if there is none.
    ///
    /// - Parameter key: a value of the type of the class's primary key; nil finds the object whose
    ///   key is nil.
    /// - Precondition: the class has a primary key of that type.
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
        let row: ObjectKey?
        switch core.state {
        case .writing(let transaction): row = transaction.find(table.key, primaryKey: value)
        case .reading(let root): row = root.find(table.key, primaryKey: value)
        case .ended: row = nil
        }
        return row.map { binding.accessor(type, row: $0) }
    }

    /// The binding of a class, checked: a class that does not fit what is stored fails the
    /// transaction, and is empty until then.
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

    /// The running write. Traps in a read and after the body.
    func requireWriting(_ call: StaticString) -> EngineTransaction {
        guard let transaction = core.writing else {
            if case .ended = core.state { trapEnded(call) }
            fatalError(
                "Transaction.\(call) was called in the read at \(core.place): objects can be "
                    + "changed in a write only.")
        }
        return transaction
    }
}

@available(*, unavailable, message: "a transaction stays in its body")
extension Transaction: Sendable {}
