// Methods that take models don't support asymmetric ones, and those that query objects by class
// no embedded ones either. These overloads explain why.

extension Transaction {
    @available(*, unavailable, message: "an asymmetric object is stored by create(_:value:)")
    public func add(_ object: AsymmetricObject, update policy: Realm.UpdatePolicy = .error) {}

    @available(*, unavailable, message: "an asymmetric object is delivered by realm.drain")
    public func objects<T: AsymmetricObject>(_ type: T.Type) -> Results<T> { fatalError() }

    @available(*, unavailable, message: "an embedded object is found through its owner")
    public func objects<T: EmbeddedObject>(_ type: T.Type) -> Results<T> { fatalError() }

    @available(*, unavailable, message: "an asymmetric object is removed once it is delivered")
    public func delete(_ object: AsymmetricObject) {}

    @available(*, unavailable, message: "an asymmetric object is delivered by realm.drain")
    public func resolve<T: AsymmetricObject>(_ frozen: Frozen<T>) -> T? { fatalError() }
}

extension Snapshot {
    @available(*, unavailable, message: "an asymmetric object is delivered by realm.drain")
    public func objects<T: AsymmetricObject>(_ type: T.Type) -> FrozenResults<T> { fatalError() }

    @available(*, unavailable, message: "an embedded object is found through its owner")
    public func objects<T: EmbeddedObject>(_ type: T.Type) -> FrozenResults<T> { fatalError() }
}

extension Realm {
    @available(*, unavailable, message: "an asymmetric object is delivered by realm.drain")
    public nonisolated func objects<T: AsymmetricObject>(_ type: T.Type) -> LiveResults<T> {
        fatalError()
    }

    @available(*, unavailable, message: "an embedded object is found through its owner")
    public nonisolated func objects<T: EmbeddedObject>(_ type: T.Type) -> LiveResults<T> {
        fatalError()
    }
}
