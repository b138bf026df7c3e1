import Regnum
import RegnumTestSupport
import Testing

/// The statements of "Object Models - Swift SDK" (003) about inheritance.
@Suite struct InheritanceTests {
    private typealias Base = Inheritance.Base
    private typealias Derived = Inheritance.Derived
    private typealias Sibling = Inheritance.Sibling
    private typealias Container = Inheritance.Container

    private static let types: [ObjectBase.Type] = [
        Base.self, Derived.self, Sibling.self, Container.self,
    ]

    @Test func subclassHasThePropertiesOfItsSuperclass() async throws {
        let realm = try await Realm.temporary(Self.types)
        try await realm.write { tx in
            let derived = Derived()
            (derived.foo, derived.bar) = (1, 2)
            try tx.add(derived)
        }
        let derived = try requireValue(realm.snapshot().objects(Derived.self).first)
        expectTrue(derived.foo == 1 && derived.bar == 2)
        expectEqual(realm.snapshot().objects(Derived.self).where { $0.foo == 1 }.count, 1)
    }

    // Covers 1.17
    @Test func queriesSeeOneClassOnly() async throws {
        let realm = try await Realm.temporary(Self.types)
        try await realm.write { tx in
            try tx.add(Base())
            try tx.add(Derived())
            try tx.add([Sibling(), Sibling()])
        }
        let snapshot = realm.snapshot()
        expectEqual(snapshot.objects(Base.self).count, 1)
        expectEqual(snapshot.objects(Derived.self).count, 1)
        expectEqual(snapshot.objects(Sibling.self).count, 2)
    }

    @Test func objectsThatAreReadAreOfTheirOwnClass() async throws {
        let realm = try await Realm.temporary(Self.types)
        try await realm.write { tx in
            try tx.add(Base())
            try tx.add(Derived())
            let base: Base = try requireValue(tx.objects(Base.self).first)
            let derived: Base = try requireValue(tx.objects(Derived.self).first)
            expectTrue(!(base is Derived) && derived is Derived && !(derived is Sibling))
        }
    }

    // Covers 1.17
    @Test func listOfABaseHoldsNoObjectOfASubclass() async throws {
        let realm = try await Realm.temporary(Self.types)
        await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let container = Container()
                try tx.add(container)
                container.many.append(Derived())
            }
        }
        expectTrue(realm.snapshot().objects(Container.self).isEmpty)
    }

    // Covers 1.17
    @Test func linkToABaseHoldsNoObjectOfASubclass() async throws {
        let realm = try await Realm.temporary(Self.types)
        await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let container = Container()
                container.one = Derived()
                try tx.add(container)
            }
        }
        expectTrue(realm.snapshot().objects(Container.self).isEmpty)
        expectTrue(realm.snapshot().objects(Derived.self).isEmpty)
    }
}
