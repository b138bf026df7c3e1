import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Adding several unmanaged objects to a list or set at once.
@Suite struct ListAdditionTests {
    /// More objects than are searched linearly, linked in a ring, some of them twice in the list.
    @Test func objectsThatReachEachOtherAreStoredOnce() async throws {
        let realm = try await Realm.temporary([Hound.self, Keeper.self, Collar.self])
        try await realm.write { tx in
            let keeper = Keeper()
            try tx.add(keeper)
            let hounds = (0..<40).map { Hound("\($0)", age: Int8($0)) }
            for (position, hound) in hounds.enumerated() {
                hound.friend = hounds[(position + 1) % hounds.count]
                hound.tags.append(objectsIn: ["a\(position)", "b\(position)"])
                hound.collar = Collar()
            }
            keeper.hounds.append(objectsIn: hounds + hounds.prefix(5) + [hounds[39]])
            expectEqual(hounds.filter(\.isManaged).count, 40)
        }
        let keeper = try requireValue(realm.snapshot().objects(Keeper.self).first)
        let names = (0..<40).map(String.init) + ["0", "1", "2", "3", "4", "39"]
        expectEqual(keeper.hounds.map(\.name), names)
        expectEqual(
            keeper.hounds.map { $0.friend?.age }, names.map { (Int8($0) ?? 0) + 1 }.map { $0 % 40 })
        expectEqual(keeper.hounds.map { $0.tags.last }, names.map { "b\($0)" })
        expectEqual(keeper.hounds.filter { $0.collar?.color == "red" }.count, 46)
        expectEqual(realm.snapshot().objects(Hound.self).count, 40)
    }

    /// The embedded object with an owner is the last one, after thirty valid ones.
    @Test func oneThatCannotBeOwnedTwiceLeavesNone() async throws {
        let realm = try await Realm.temporary(bookClasses)
        try await realm.write { tx in
            let shelf = Shelf()
            shelf.covers.append(Cover("black"))
            try tx.add(shelf)
            let error = #expect(throws: Realm.Error.self) {
                try tx.savepoint {
                    let covers = (0..<30).map { Cover("\($0)") }
                    shelf.covers.append(objectsIn: covers + [covers[7]])
                }
            }
            expectEqual(error?.code, .invalidValue)
            expectTrue(error?.className == "Shelf" && error?.property == "covers")
            expectEqual(error?.message.contains("Cover"), true)
            expectEqual(shelf.covers.map(\.color), ["black"])
        }
        expectEqual(realm.snapshot().objects(Shelf.self).first?.covers.map(\.color), ["black"])
    }

    @Test func keyThatIsTakenLeavesNone() async throws {
        let realm = try await Realm.temporary([Hound.self, Keeper.self, Collar.self])
        try await realm.write { tx in
            let keeper = Keeper()
            try tx.add(keeper)
            try tx.add(Hound("17", age: 99))
            let error = #expect(throws: Realm.Error.self) {
                try tx.savepoint {
                    keeper.hounds.append(objectsIn: (0..<30).map { Hound("\($0)") })
                }
            }
            expectEqual(error?.code, .duplicatePrimaryKey)
            expectTrue(keeper.hounds.isEmpty)
        }
        expectEqual(realm.snapshot().objects(Hound.self).map(\.age), [99])
    }
}
