import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The statements of "Supported Types - Swift SDK" (000, 001) about its models.
@Suite struct SupportedTypesTests {
    private static let sheets: [ObjectBase.Type] = [
        CheatSheet.self, MyCustomObjectType.self, MyEmbeddedObjectType.self,
    ]

    // Covers 1.21, 1.47
    @Test func requiredPropertiesHaveTheZeroOfTheirTypeAndOptionalOnesNil() async throws {
        let realm = try await Realm.temporary(Self.sheets)
        func check(_ sheet: CheatSheet, since start: Date) {
            expectTrue(!sheet.boolName && sheet.intName == 0 && sheet.floatName == 0)
            expectTrue(sheet.doubleName == 0 && sheet.stringName == "" && sheet.dataName.isEmpty)
            expectTrue(sheet.dateName >= start && sheet.dateName <= Date())
            expectTrue(sheet.listName.isEmpty && sheet.enumName == .first)
            expectTrue(sheet.mutableSetName.isEmpty)
            expectTrue(sheet.optBoolName == nil && sheet.optIntName == nil)
            expectTrue(sheet.optFloatName == nil && sheet.optDoubleName == nil)
            expectTrue(sheet.optStringName == nil && sheet.optDataName == nil)
            expectTrue(sheet.optDateName == nil && sheet.optUuidName == nil)
            expectTrue(sheet.optObjectIdName == nil && sheet.optEnumName == nil)
            expectTrue(sheet.optObjectPropertyName == nil && sheet.mapName.isEmpty)
            expectNil(sheet.optEmbeddedObjectPropertyName)
        }
        let start = Date()
        check(CheatSheet(), since: start)
        try await realm.write { tx in try tx.add(CheatSheet()) }
        try await realm.read { tx in
            check(try requireValue(tx.objects(CheatSheet.self).first), since: start)
        }
    }

    // Covers 1.32, 1.33, 1.39, 1.40, 1.41, 1.42, 1.45, 1.46
    @Test func everyRowOfTheCheatSheetKeepsItsValue() async throws {
        let realm = try await Realm.temporary(Self.sheets)
        let uuid = UUID()
        let objectId = ObjectId.generate()
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
        try await realm.write { tx in
            let sheet = CheatSheet()
            fill(sheet, uuid, objectId, date)
            try tx.add(sheet)
        }
        try await realm.read { tx in
            let sheet = try requireValue(tx.objects(CheatSheet.self).first)
            expectTrue(sheet.boolName && sheet.optBoolName == true)
            expectTrue(sheet.intName == .max && sheet.optIntName == .min)
            expectTrue(sheet.floatName == 0.1 && sheet.optFloatName == -.infinity)
            expectTrue(sheet.doubleName == 0.1 && sheet.optDoubleName == .greatestFiniteMagnitude)
            expectTrue(sheet.stringName == "Žluťoučký" && sheet.optStringName == "")
            expectTrue(sheet.dataName == Data([0, 255]) && sheet.optDataName == Data())
            expectTrue(sheet.dateName == date && sheet.optDateName == date)
            expectTrue(sheet.uuidName == uuid && sheet.optUuidName == uuid)
            expectTrue(sheet.objectIdName == objectId && sheet.optObjectIdName == objectId)
            expectEqual(sheet.listName.map(\.name), ["a", "b", "a"])
            expectEqual(Array(sheet.mutableSetName), ["a", "b"])
            expectTrue(
                sheet.mapName.keys == ["", "cs", "en"] && sheet.mapName["cs"] == "Žluťoučký")
            expectTrue(sheet.mapName["en"] == "yellowish" && sheet.mapName["de"] == nil)
            expectEqual(sheet.optObjectPropertyName?.name, "b")
            expectEqual(sheet.optEmbeddedObjectPropertyName?.name, "part")
            expectTrue(sheet.enumName == .third && sheet.optEnumName == .second)
            expectEqual(tx.objects(MyCustomObjectType.self).count, 2)
        }
        let frozen = try requireValue(realm.snapshot().objects(CheatSheet.self).first)
        expectTrue(frozen.intName == .max && frozen.floatName == 0.1 && frozen.enumName == .third)
        expectTrue(frozen.optEnumName == .second && frozen.optFloatName == -.infinity)
        expectEqual(frozen.listName.map(\.name), ["a", "b", "a"])
        expectEqual(frozen.mutableSetName.array, ["a", "b"])
        expectEqual(frozen.mapName.dictionary, ["": "", "cs": "Žluťoučký", "en": "yellowish"])
        expectEqual(frozen.anyRealmValueName, .list([.int(1), .string("x")]))
        expectTrue(frozen.decimalName.description == "1.50" && frozen.optDecimalName == "-0.1")
        expectEqual(frozen.optObjectPropertyName?.name, "b")
        expectEqual(frozen.optEmbeddedObjectPropertyName?.name, "part")
    }

    private func fill(_ sheet: CheatSheet, _ uuid: UUID, _ objectId: ObjectId, _ date: Date) {
        sheet.boolName = true
        sheet.optBoolName = true
        sheet.intName = .max
        sheet.optIntName = .min
        sheet.floatName = 0.1
        sheet.optFloatName = -.infinity
        sheet.doubleName = 0.1
        sheet.optDoubleName = .greatestFiniteMagnitude
        sheet.stringName = "Žluťoučký"
        sheet.optStringName = ""
        sheet.dataName = Data([0, 255])
        sheet.optDataName = Data()
        sheet.dateName = date
        sheet.optDateName = date
        sheet.uuidName = uuid
        sheet.optUuidName = uuid
        sheet.objectIdName = objectId
        sheet.optObjectIdName = objectId
        let objects = ["a", "b"].map { name in
            let object = MyCustomObjectType()
            object.name = name
            return object
        }
        sheet.listName.append(objectsIn: objects + [objects[0]])
        sheet.mutableSetName.insert(objectsIn: ["b", "a", "b"])
        (sheet.mapName["en"], sheet.mapName["cs"], sheet.mapName[""]) = (
            "yellowish", "Žluťoučký", ""
        )
        sheet.anyRealmValueName = .fromArray([.int(1), .string("x")])
        sheet.decimalName = "1.50"
        sheet.optDecimalName = "-0.1"
        sheet.optObjectPropertyName = objects[1]
        let part = MyEmbeddedObjectType()
        part.name = "part"
        sheet.optEmbeddedObjectPropertyName = part
        sheet.enumName = .third
        sheet.optEnumName = .second
    }

    // Covers 1.37
    @Test func integersOfEveryWidthKeepTheirBounds() async throws {
        let realm = try await Realm.temporary([IntegerSheet.self])
        try await realm.write { tx in
            let least = IntegerSheet()
            (least.int8Name, least.int16Name) = (.min, .min)
            (least.int32Name, least.int64Name) = (.min, .min)
            let greatest = IntegerSheet()
            (greatest.optInt8Name, greatest.optInt16Name) = (.max, .max)
            (greatest.optInt32Name, greatest.optInt64Name) = (.max, .max)
            try tx.add([least, greatest])
        }
        let sheets = realm.snapshot().objects(IntegerSheet.self)
        expectTrue(sheets[0].int8Name == .min && sheets[0].int16Name == .min)
        expectTrue(sheets[0].int32Name == .min && sheets[0].int64Name == .min)
        expectTrue(sheets[0].optInt8Name == nil && sheets[0].optInt64Name == nil)
        expectTrue(sheets[1].optInt8Name == .max && sheets[1].optInt16Name == .max)
        expectTrue(sheets[1].optInt32Name == .max && sheets[1].optInt64Name == .max)
        expectTrue(sheets[1].int8Name == 0 && sheets[1].int64Name == 0)
        expectEqual(sheets.where { $0.int8Name < 0 }.count, 1)
        expectEqual(sheets.where { $0.optInt16Name == .max && $0.int32Name == 0 }.count, 1)
    }

    @Test func bothFormsOfAListsDefaultDoTheSame() async throws {
        let realm = try await Realm.temporary([DefaultsMadeWhenNeeded.self, DefaultsGiven.self])
        try await realm.write { tx in
            let first = DefaultsMadeWhenNeeded()
            let second = DefaultsGiven()
            expectTrue(first.listProperty.isEmpty && second.listProperty.isEmpty)
            first.listProperty.append(1)
            second.listProperty.append(1)
            try tx.add(first)
            try tx.add(second)
            first.listProperty.append(2)
            second.listProperty.append(2)
        }
        let snapshot = realm.snapshot()
        expectEqual(
            snapshot.objects(DefaultsMadeWhenNeeded.self)[0].listProperty.map { $0 }, [1, 2])
        expectEqual(snapshot.objects(DefaultsGiven.self)[0].listProperty.map { $0 }, [1, 2])
    }

    // Covers 1.21
    @Test func identifiersWithoutAnInitialValueAreRandomAndObjectIdOfNothingIsZero() async throws {
        let zero = "000000000000000000000000"
        expectTrue(DefaultsMadeWhenNeeded().value != DefaultsMadeWhenNeeded().value)
        expectTrue(DefaultsGiven().value != DefaultsGiven().value)
        expectTrue(DefaultsMadeWhenNeeded().id != DefaultsMadeWhenNeeded().id)
        expectTrue(DefaultsMadeWhenNeeded().id.stringValue != zero)
        expectEqual(DefaultsGiven()._id.stringValue, zero)

        let realm = try await Realm.temporary([DefaultsMadeWhenNeeded.self])
        let made = try await realm.write { tx in
            let objects = [DefaultsMadeWhenNeeded(), DefaultsMadeWhenNeeded()]
            try tx.add(objects)
            return objects.map(\.value)
        }
        expectTrue(made[0] != made[1])
        // Reading a stored object creates no new ones.
        expectEqual(realm.snapshot().objects(DefaultsMadeWhenNeeded.self).map(\.value), made)
    }

    @Test func uniqueIdentifiersAreKeysAndIndexes() async throws {
        final class Tagged: Object {
            @Persisted(primaryKey: true) var id: UUID
            @Persisted(indexed: true) var other: ObjectId
        }
        let realm = try await Realm.temporary([Tagged.self])
        let (id, other) = try await realm.write { tx in
            let tagged = Tagged()
            try tx.add([tagged, Tagged()])
            return (tagged.id, tagged.other)
        }
        let snapshot = realm.snapshot()
        expectEqual(snapshot.object(Tagged.self, forPrimaryKey: id)?.other, other)
        expectEqual(snapshot.objects(Tagged.self).where { $0.other == other }.map(\.id), [id])
    }

    // Covers 1.41, 1.42
    @Test(arguments: [0, 1])
    func dataAndStringsHoldUpTo16Megabytes(excess: Int) async throws {
        let realm = try await Realm.temporary(Self.sheets)
        func write(text: Int, data: Int) async throws {
            try await realm.write { tx in
                let sheet = CheatSheet()
                try tx.add(sheet)
                sheet.stringName = String(repeating: "x", count: text)
                sheet.dataName = Data(count: data)
            }
        }
        let (textLimit, dataLimit) = (16_777_199, 16_777_200)
        if excess == 0 {
            try await write(text: textLimit, data: dataLimit)
            let sheet = try requireValue(realm.snapshot().objects(CheatSheet.self).first)
            expectTrue(
                sheet.stringName.utf8.count == textLimit && sheet.dataName.count == dataLimit)
        } else {
            await expect(.invalidValue) {
                try await write(text: textLimit + 1, data: 0)
            }
            await expect(.invalidValue) {
                try await write(text: 0, data: dataLimit + 1)
            }
            expectTrue(realm.snapshot().objects(CheatSheet.self).isEmpty)
        }
    }
}
