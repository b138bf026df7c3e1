import Foundation
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Properties of projected types, in managed and unmanaged objects.
@Suite struct TypeProjectionTests {
    private func station(_ id: Int) -> Station {
        let station = Station(id)
        station.word = .of("north")
        station.heat = Celsius(3.5)
        station.coldest = Celsius(-40)
        station.place = Point(1, 2)
        station.exit = Point(3, 4)
        station.label = Label("gate", Point(5, 6))
        station.heats.append(objectsIn: [Celsius(1), Celsius(2)])
        station.words.append(objectsIn: [Word.of("a"), nil])
        station.path.append(objectsIn: [Point(7, 8), Point(9, 10)])
        return station
    }

    private func check(_ station: Station) {
        expectTrue(station.word == .of("north") && station.heat == Celsius(3.5))
        expectTrue(station.coldest == Celsius(-40) && station.start == Celsius(20))
        expectTrue(station.place == Point(1, 2) && station.exit == Point(3, 4))
        expectEqual(station.label, Label("gate", Point(5, 6)))
        expectEqual(Array(station.heats), [Celsius(1), Celsius(2)])
        expectEqual(Array(station.words), [.of("a"), nil])
        expectEqual(Array(station.path), [Point(7, 8), Point(9, 10)])
    }

    // Covers 1.53, 8.1
    @Test func valuesAreTheSameBeforeAndAfterTheyAreStored() async throws {
        let realm = try await Realm.temporary(Station.types)
        try await realm.write { tx in
            let station = station(7)
            check(station)
            try tx.add(station)
            check(station)
            station.next = Station(14)
            expectEqual(station.next?.id, .of(14))
        }
        try await realm.read { tx in check(try requireValue(tx.objects(Station.self).first)) }
        let frozen = try requireValue(realm.snapshot().objects(Station.self).first)
        expectTrue(
            frozen.id == .of(7) && frozen.word == .of("north") && frozen.heat == Celsius(3.5))
        expectTrue(frozen.coldest == Celsius(-40) && frozen.place == Point(1, 2))
        expectTrue(frozen.exit == Point(3, 4) && frozen.label == Label("gate", Point(5, 6)))
        expectEqual(frozen.heats.array, [Celsius(1), Celsius(2)])
        expectEqual(frozen.words.array, [.of("a"), nil])
        expectEqual(frozen.path.array, [Point(7, 8), Point(9, 10)])
        expectTrue(frozen.next?.id == .of(14) && frozen.next?.place == Point(0, 0))
    }

    // Covers 8.5
    @Test func defaultsAreMadeOfThoseOfThePersistedType() async throws {
        let realm = try await Realm.temporary(Station.types + [Boxes.self])
        func check(_ station: Station) {
            expectTrue(station.id == .of(0) && station.heat == Celsius(0))
            expectTrue(station.start == Celsius(20) && station.place == Point(0, 0))
            expectTrue(station.word == nil && station.coldest == nil && station.exit == nil)
            expectTrue(station.label == nil && station.heats.isEmpty && station.path.isEmpty)
        }
        check(Station())
        try await realm.write { tx in try tx.add(Station()) }
        try await realm.read { tx in
            let station = try requireValue(tx.objects(Station.self).first)
            check(station)
            // A required property has an object, whether or not it was assigned.
            expectTrue(station["place"] is Spot)
        }
        // The values of an untouched unmanaged object are created on first read.
        expectTrue(Boxes().uuid != Boxes().uuid && Boxes().objectId != Boxes().objectId)
        let box = Boxes()
        expectTrue(box.uuid == box.uuid && box.string == Box("") && box.bool == Box(false))
    }

    // Covers 8.3
    @Test func everyTypeThatCanBeStoredCanBeAPersistedType() async throws {
        let realm = try await Realm.temporary([Boxes.self])
        let (uuid, id) = (UUID(), ObjectId.generate())
        let date = Date(timeIntervalSinceReferenceDate: 12.25)
        try await realm.write { tx in
            let boxes = Boxes()
            try tx.add(boxes)
            (boxes.bool, boxes.int, boxes.int8) = (Box(true), Box(.min), Box(.max))
            (boxes.int16, boxes.int32, boxes.int64) = (Box(.min), Box(.max), Box(.min))
            (boxes.float, boxes.double, boxes.string) = (Box(0.1), Box(0.1), Box("Žluťoučký"))
            boxes.decimal = Box("0.10")
            (boxes.data, boxes.date) = (Box(Data([0, 255])), Box(date))
            (boxes.uuid, boxes.objectId) = (Box(uuid), Box(id))
            (boxes.optBool, boxes.optInt, boxes.optFloat) = (Box(true), Box(1), Box(-.infinity))
            (boxes.optString, boxes.optData) = (Box(""), Box(Data()))
            (boxes.optDate, boxes.optUUID, boxes.optObjectId) = (Box(date), Box(uuid), Box(id))
            boxes.bools.append(objectsIn: [Box(true), Box(false)])
            boxes.ints.append(Box(-128))
            boxes.datas.append(objectsIn: [nil, Box(Data([1]))])
            boxes.ids.append(Box(id))
        }
        try await realm.read { tx in
            let boxes = try requireValue(tx.objects(Boxes.self).first)
            expectTrue(boxes.bool == Box(true) && boxes.int == Box(.min) && boxes.int8 == Box(.max))
            expectTrue(boxes.int16 == Box(.min) && boxes.int32 == Box(.max))
            expectTrue(
                boxes.int64 == Box(.min) && boxes.float == Box(0.1) && boxes.double == Box(0.1))
            expectEqual(boxes.decimal, Box("0.1"))
            expectTrue(boxes.string == Box("Žluťoučký") && boxes.data == Box(Data([0, 255])))
            expectTrue(
                boxes.date == Box(date) && boxes.uuid == Box(uuid) && boxes.objectId == Box(id))
            expectTrue(boxes.optBool == Box(true) && boxes.optInt == Box(1))
            expectTrue(boxes.optFloat == Box(-.infinity) && boxes.optString == Box(""))
            expectTrue(boxes.optData == Box(Data()) && boxes.optDate == Box(date))
            expectTrue(boxes.optUUID == Box(uuid) && boxes.optObjectId == Box(id))
            expectEqual(Array(boxes.bools), [Box(true), Box(false)])
            expectEqual(Array(boxes.ints), [Box(-128)])
            expectEqual(Array(boxes.datas), [nil, Box(Data([1]))])
            expectEqual(Array(boxes.ids), [Box(id)])
        }
        let frozen = try requireValue(realm.snapshot().objects(Boxes.self).first)
        expectTrue(frozen.int64 == Box(.min) && frozen.optFloat == Box(-.infinity))
        expectEqual(realm.snapshot().objects(Boxes.self).average(of: \.decimal), "0.1")
        expectEqual(frozen.datas.array, [nil, Box(Data([1]))])
        expectEqual(realm.snapshot().objects(Boxes.self).where { $0.optDate == Box(date) }.count, 1)
        expectEqual(realm.snapshot().objects(Boxes.self).where { $0.bools == Box(false) }.count, 1)
    }

    // Covers 8.7, 8.17
    @Test func assigningReplacesTheEmbeddedObject() async throws {
        let realm = try await Realm.temporary(Station.types)
        try await realm.write { tx in
            let station = station(7)
            try tx.add(station)
            let old = try requireValue(station["place"] as? Spot)
            station.place = Point(11, 12)
            expectTrue(old.isInvalidated && station.place == Point(11, 12))
            station.exit = nil
            expectTrue(station.exit == nil && station["exit"] == nil)
            station.path[0] = Point(13, 14)
            station.path.remove(at: 1)
            expectEqual(Array(station.path), [Point(13, 14)])
            expectEqual(station.path.index(of: Point(13, 14)), 0)
            expectNil(station.path.index(of: Point(1, 14)))
            // Dynamic access changes the same embedded object.
            let spot = try requireValue(station["place"] as? Spot)
            spot.x = 15
            expectEqual(station.place, Point(15, 12))
            tx.delete(station)
            expectTrue(spot.isInvalidated)
        }
    }

    @Test func failedTransactionsTakeEverythingBack() async throws {
        struct Stop: Error {}
        let realm = try await Realm.temporary(Station.types)
        try await realm.write { tx in try tx.add(station(7)) }
        await #expect(throws: Stop.self) {
            try await realm.write { tx in
                let station = try requireValue(tx.object(Station.self, forPrimaryKey: Serial.of(7)))
                station.place = Point(0, 0)
                station.word = nil
                station.path.removeAll()
                station.heats.append(Celsius(9))
                throw Stop()
            }
        }
        try await realm.read { tx in check(try requireValue(tx.objects(Station.self).first)) }
    }

    // Covers 8.4, 8.13
    @Test func keysAreFoundInEitherForm() async throws {
        let realm = try await Realm.temporary(Station.types)
        try await realm.write { tx in
            try tx.add(station(7))
            expectEqual(tx.object(Station.self, forPrimaryKey: Serial.of(7))?.word, .of("north"))
            expectEqual(tx.object(Station.self, forPrimaryKey: 7)?.word, .of("north"))
            expectNil(tx.object(Station.self, forPrimaryKey: Serial.of(14)))
        }
        expectEqual(
            realm.object(Station.self, forPrimaryKey: Serial.of(7)).current?.heat, Celsius(3.5))
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in try tx.add(Station(7)) }
        }
        expectEqual(error?.code, .duplicatePrimaryKey)
    }

    @Test func updatePoliciesCompareWhatIsStored() async throws {
        let realm = try await Realm.temporary(Station.types)
        try await realm.write { tx in try tx.add(station(7)) }
        for policy in [Realm.UpdatePolicy.modified, .all] {
            try await realm.write { tx in
                let other = Station(7)
                other.place = Point(1, 3)
                other.path.append(objectsIn: [Point(7, 8), Point(0, 1), Point(2, 2)])
                other.heats.append(Celsius(1))
                try tx.add(other, update: policy)
                expectEqual(tx.objects(Station.self).count, 1)
            }
            let frozen = try requireValue(realm.snapshot().objects(Station.self).first)
            expectTrue(frozen.place == Point(1, 3) && frozen.exit == nil && frozen.word == nil)
            expectEqual(frozen.path.array, [Point(7, 8), Point(0, 1), Point(2, 2)])
            expectEqual(frozen.heats.array, [Celsius(1)])
            try await realm.write { tx in
                try tx.create(Station.self, value: ["id": 7, "exit": Point(5, 5)], update: policy)
            }
            let merged = try requireValue(realm.snapshot().objects(Station.self).first)
            expectTrue(merged.place == Point(1, 3) && merged.exit == Point(5, 5))
        }
    }

    @Test func twoObjectsOfOneKeyLeaveNoDefaultsBehind() async throws {
        let realm = try await Realm.temporary(Station.types)
        try await realm.write { tx in
            try tx.create(
                Station.self,
                value: [
                    "id": 14, "place": [1, 1],
                    "next": ["id": 7, "place": [2, 2], "next": ["id": 7, "heat": 5]],
                ], update: .modified)
        }
        let stations = realm.snapshot().objects(Station.self)
        expectEqual(stations.where { $0.id == 7 }.first?.place, Point(2, 2))
        expectEqual(stations.where { $0.id == 14 }.first?.place, Point(1, 1))
        let rowCount = stations.first?.table.other(Spot.self).rowCount
        expectEqual(rowCount, 2)
    }
}
