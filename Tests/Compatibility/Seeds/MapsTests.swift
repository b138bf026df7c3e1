import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The statements of "Supported Types - Swift SDK" (000, 001) about maps.
@Suite struct MapsTests {
    private typealias Dog = Maps.Dog

    @Test func mapIsADictionaryByCity() async throws {
        let realm = try await Realm.temporary([Dog.self])
        try await realm.write { tx in
            let dog = Dog(value: ["name": "Rex", "currentCity": "New York"])
            dog.favoriteParksByCity["New York"] = "Domino Park"
            try tx.add(dog)
            dog.favoriteParksByCity["Chicago"] = "Wiggly Field"
            dog.favoriteParksByCity["Chicago"] = "Montrose Beach"
            expectEqual(dog.favoriteParksByCity["New York"], "Domino Park")
        }
        let parks = try requireValue(realm.snapshot().objects(Dog.self).first).favoriteParksByCity
        expectEqual(parks.keys, ["Chicago", "New York"])
        expectEqual(parks.values, ["Montrose Beach", "Domino Park"])
    }

    /// "Realm disallows the use of . or $ characters in map keys. You can use percent encoding …".
    @Test func keyWithADotIsPercentEncoded() async throws {
        let realm = try await Realm.temporary([Dog.self])
        // Percent encode . or $ characters to use them in map keys
        let mapKey = "New York.Brooklyn"
        let encodedMapKey = "New York%2EBrooklyn"
        try await realm.write { try $0.add(Dog()) }
        await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                tx.objects(Dog.self)[0].favoriteParksByCity[mapKey] = "Domino Park"
            }
        }
        try await realm.write { tx in
            tx.objects(Dog.self)[0].favoriteParksByCity[encodedMapKey] = "Domino Park"
        }
        expectEqual(realm.snapshot().objects(Dog.self)[0].favoriteParksByCity.keys, [encodedMapKey])
    }

    @Test func bothFormsOfTheDefaultAreEmptyMaps() {
        expectTrue(Maps.DefaultMadeWhenNeeded().value.isEmpty && Maps.DefaultGiven().value.isEmpty)
    }
}
