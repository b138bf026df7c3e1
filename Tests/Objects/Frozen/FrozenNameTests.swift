import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

final class FrozenTitle: Object {
    @Persisted var text: String
    @Persisted var scores: Map<String, Float>
    @Persisted var pages: Map<String, FrozenTitle?>
    @Persisted var tags: MutableSet<String>
    @Persisted var price: Decimal128?

    override var description: String { "Title \(text)" }
}

/// Properties of frozen objects by name, and frozen values of any type as text and by kind.
@Suite struct FrozenNameTests {
    @Test func propertiesOfFrozenObjectsAreReadByName() async throws {
        let realm = try await Realm.kennel()
        let snapshot = realm.snapshot()
        let rex = try requireValue(snapshot.object(Whelp.self, forPrimaryKey: "Rex"))
        let fido = try requireValue(snapshot.object(Whelp.self, forPrimaryKey: "Fido"))
        let ann = try requireValue(snapshot.objects(Walker.self).first)
        try expectEqual(rex["name"], .string("Rex"))
        try expectEqual(rex["age"], .int(3))
        try expectEqual(rex["level"], .int(-3))
        try expectEqual(rex["weight"], .float(0.1))
        try expectEqual(rex["fur"], .string("long"))
        try expectEqual(rex["oldFur"], FrozenAnyValue.none)
        try expectEqual(rex["friend"].object(Whelp.self), fido)
        let walkers = try requireValue(rex["walkers"].listValue)
        expectEqual(walkers.map { $0.object(Walker.self)?.name }, rex.walkers.map(\.name))
        let pups = try requireValue(ann["pups"].listValue)
        expectEqual(pups.map { $0.object(Whelp.self)?.name }, ["Rex", "Fido", "Rex"])
        try expectEqual(ann["tags"], .list(["big", "loud", "big"].map { .string($0) }))
        try expectEqual(ann["scores"], .list([.int(4), .none, .int(2), .int(4)]))
        try expectEqual(ann["furs"], .list([.string("long"), .string("short")]))
        // Properties of an embedded object, again by name.
        let badge = try requireValue(ann["badge"].objectValue)
        expectTrue(
            badge.className == "Medal" && badge.propertyNames == ["code", "weight", "issuer"])
        try expectEqual(badge["weight"].floatValue, 1.5)
    }

    @Test func mapsSetsAndProjectedPropertiesAreReadByName() async throws {
        let realm = try await Realm.temporary([FrozenTitle.self] + Station.types)
        try await realm.write { tx in
            let title = FrozenTitle()
            title.text = "a"
            title.scores["x"] = 1.5
            title.pages["self"] = title
            title.pages["none"] = .some(nil)
            title.tags.insert(objectsIn: ["b", "a"])
            title.price = "1.50"
            try tx.add(title)
            let station = Station(7)
            station.heat = Celsius(3)
            station.place = Point(1, 2)
            station.heats.append(Celsius(4))
            try tx.add(station)
        }
        let title = try requireValue(realm.snapshot().objects(FrozenTitle.self).first)
        try expectEqual(title["scores"], .dictionary(["x": .float(1.5)]))
        let pages = try requireValue(title["pages"].dictionaryValue)
        expectTrue(
            pages["self"]?.object(FrozenTitle.self) == title && pages["none"] == FrozenAnyValue.none
        )
        try expectEqual(title["tags"], .list([.string("a"), .string("b")]))
        try expectEqual(title["price"].decimal128Value?.description, "1.50")
        let station = try requireValue(realm.snapshot().objects(Station.self).first)
        try expectEqual(station["id"], .int(7))
        try expectEqual(station["heat"], .double(3))
        try expectEqual(station["heats"], .list([.double(4)]))
        let place = try requireValue(station["place"].objectValue)
        expectEqual(place.className, "Spot")
        try expectEqual(place["y"], .double(2))
    }

    @Test func unknownNameIsAnErrorThatNamesIt() async throws {
        let realm = try await Realm.kennel()
        let ann = try requireValue(realm.snapshot().objects(Walker.self).first)
        let error = #expect(throws: Realm.Error.self) { try ann["nme"] }
        expectEqual(error?.code, .invalidInput)
        expectTrue(error?.className == "Walker" && error?.property == "nme")
    }

    // Covers 1.13
    @Test func descriptionOfAModelIsThatOfItsFrozenObjectsToo() async throws {
        let realm = try await Realm.temporary([FrozenTitle.self, AnyNote.self, AnyPet.self])
        try await realm.write { tx in
            let title = FrozenTitle()
            title.text = "a"
            expectEqual("\(title)", "Title a")
            try tx.add(title)
            expectEqual("\(title)", "Title a")
            try tx.add(AnyNote(1, .object(title)))
        }
        let title = try requireValue(realm.snapshot().objects(FrozenTitle.self).first)
        let note = try requireValue(realm.snapshot().objects(AnyNote.self).first)
        expectTrue("\(title)" == "Title a" && "\(note.content.objectValue!)" == "Title a")
        // Nested in another object, its properties are shown.
        expectTrue("\(note)".contains("text = a"))
    }

    @Test func frozenValuesOfAnyTypeDescribeThemselves() async throws {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { tx in
            let note = AnyNote(1)
            note.list.append(objectsIn: anyScalars)
            note.content = .fromDictionary([
                "b": .fromArray([.int(1), .none]), "a": .object(AnyPet("Rex")),
            ])
            try tx.add(note)
        }
        let note = try requireValue(realm.snapshot().objects(AnyNote.self).first)
        for (value, given) in zip(note.list, anyScalars) {
            expectTrue(value.intValue == given.intValue && value.boolValue == given.boolValue)
            expectTrue(
                value.floatValue == given.floatValue && value.stringValue == given.stringValue)
            expectEqual(value.doubleValue?.bitPattern, given.doubleValue?.bitPattern)
            expectTrue(value.dataValue == given.dataValue && value.dateValue == given.dateValue)
            expectEqual(value.objectIdValue, given.objectIdValue)
            expectEqual(value.decimal128Value, given.decimal128Value)
            expectEqual(value.uuidValue, given.uuidValue)
            expectTrue(value.listValue == nil && value.objectValue == nil)
            if value.dataValue == nil { expectEqual(value.description, given.description) }
        }
        expectEqual(note.content.dictionaryValue?["b"]?.listValue, [.int(1), FrozenAnyValue.none])
        expectEqual(
            note.content.description,
            """
            Map<String, FrozenAnyValue> (
                [a] AnyPet {
                    name = Rex
                    keeper = nil
                }
                [b] List<FrozenAnyValue> (
                    [0] 1
                    [1] nil
                )
            )
            """)
    }

    // Covers 2.39
    @Test func theLimitsOfADescriptionApplyToAllObjectsInIt() async throws {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { tx in
            let pet = AnyPet("Rex")
            try tx.add(pet)
            let row = AnyRealmValue.fromArray(Array(repeating: .object(pet), count: 100))
            try tx.add(AnyNote(1, .fromArray(Array(repeating: row, count: 11))))
        }
        let note = try requireValue(realm.snapshot().objects(AnyNote.self).first)
        let text = try requireValue(note.content as FrozenAnyValue?).description
        expectEqual(text.components(separatedBy: "AnyPet {\n").count, 1_001)
        expectEqual(text.components(separatedBy: "[99] AnyPet { … }\n").count, 2)
        let live = try await realm.read { $0.objects(AnyNote.self)[0].content.description }
        expectEqual(text.replacing("FrozenAnyValue", with: "AnyRealmValue"), live)
    }
}
