import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RealmOracle
@testable import RegnumTestModels

/// Values of every kind for properties of every kind, by name: invalid ones are refused with a
/// message that names the class, the property and the value, and nothing changes.
@Suite struct ValueErrorTests {
    /// A value, its description in messages, and the property types that accept it.
    private struct Given {
        let value: Any?
        let described: String
        let kinds: Set<AtlasKind>

        init(_ value: Any?, _ described: String, _ kinds: Set<AtlasKind>) {
            (self.value, self.described, self.kinds) = (value, described, kinds)
        }
    }

    /// Too few scalars to be truncated, but many bytes.
    private static let shortText = String(repeating: "ж", count: 60)

    private static var given: [Given] {
        let integers: Set<AtlasKind> = [.int, .int16, .int32, .int64]
        let numbers: Set<AtlasKind> = [.float, .double, .celsius, .decimal]
        return [
            Given("no number", "\"no number\" (String)", [.text]),
            Given(Self.shortText, "\"\(Self.shortText)\" (String)", [.text]),
            Given(5, "5 (Int)", integers.union(numbers).union([.int8, .tiny])),
            Given(300, "300 (Int)", integers.union(numbers)),
            Given(0.5, "0.5 (Double)", numbers.union([.share])),
            Given(true, "true (Bool)", integers.union([.bool, .int8])),
            Given(Data([1]), "1 bytes (Data)", [.data]),
            Given(
                Date(timeIntervalSinceReferenceDate: 0), "2001-01-01 00:00:00 +0000 (Date)",
                [.date]),
            Given(
                UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
                "00000000-0000-0000-0000-000000000000 (UUID)", [.uuid]),
            Given(
                ObjectId.make(.objectId(AtlasBytes(Array(repeating: 0, count: 12)))),
                "000000000000000000000000 (ObjectId)", [.objectId]),
            Given(nil, "nil", []),
        ]
    }

    /// Returns the value for a property; for a collection, the value as its only element.
    private static func wrapped(_ value: Any?, _ container: AtlasContainer) -> Any? {
        switch container {
        case .value: value
        case .list, .set: [value] as [Any?]
        case .map: ["key": value] as [String: Any?]
        }
    }

    // Covers .invalidValue
    @Test(arguments: AtlasTable.holders.indices)
    func whatDoesNotFitIsToldWithClassPropertyAndValue(index: Int) async throws {
        try await check(AtlasTable.holders[index])
    }

    private func check<T: AtlasModel>(_ type: T.Type) async throws {
        let realm = try await Realm.temporary([type])
        try await realm.write { tx in
            try tx.create(type, value: ["number": 1])
            for slot in type.slots.map(\.shape) {
                for given in Self.given {
                    let fits =
                        given.value == nil ? slot.isOptional : given.kinds.contains(slot.kind)
                    let value = Self.wrapped(given.value, slot.container)
                    let place = Comment("\(T.self).\(slot.name) = \(given.described)")
                    var errors: [Realm.Error?] = []
                    errors.append(
                        Self.error {
                            try tx.create(type, value: ["number": 2, slot.name: value])
                        })
                    errors.append(
                        Self.error {
                            try tx.create(
                                type, value: ["number": 1, slot.name: value], update: .modified)
                        })
                    errors.append(
                        Self.error {
                            try tx.objects(type).setValue(value, forKey: slot.name)
                        })
                    if let other = tx.object(type, forPrimaryKey: 2) { tx.delete(other) }
                    for error in errors {
                        expectTrue((error == nil) == fits, place)
                        guard let error else { continue }
                        expectTrue(
                            error.code == .invalidValue && error.className == "\(T.self)", place)
                        expectEqual(error.property, slot.name, place)
                        expectTrue(error.message.hasPrefix("\(T.self).\(slot.name) "), place)
                        expectTrue(error.message.contains(given.described), "\(error.message)")
                    }
                    expectEqual(tx.objects(type).count, 1, place)
                }
            }
        }
    }

    private static func error(_ body: () throws -> Void) -> Realm.Error? {
        do {
            try body()
            return nil
        } catch {
            return error as? Realm.Error
        }
    }

    /// A setter can't throw, so the transaction fails with the same message.
    @Test func wrongValueOfADynamicSetterFailsTheTransaction() async throws {
        let realm = try await Realm.temporary([AtlasIntHolder.self])
        try await realm.write {
            try $0.create(AtlasIntHolder.self, value: ["number": 1, "one": 3])
        }
        let cases: [(String, String, @Sendable (AtlasIntHolder) -> Void)] = [
            ("one", "\"x\" (String)", { $0["one"] = "x" }), ("one", "nil", { $0["one"] = nil }),
            ("list", "nil", { $0["list"] = [nil] as [Any?] }),
            ("map", "0.5 (Double)", { $0["map"] = ["a": 0.5] }),
        ]
        for (name, described, change) in cases {
            let error = await realmError {
                try await realm.write { tx in
                    let object = tx.objects(AtlasIntHolder.self)[0]
                    object.one = 4
                    change(object)
                }
            }
            expectTrue(error?.code == .invalidValue && error?.property == name)
            expectEqual(error?.message.hasPrefix("AtlasIntHolder.\(name) "), true)
            expectEqual(error?.message.contains(described), true, "\(error?.message ?? "")")
        }
        expectEqual(realm.snapshot().objects(AtlasIntHolder.self).map(\.one), [3])
    }

    // Covers .invalidInput
    @Test func unknownPropertiesAndKeysAreToldByName() async throws {
        let realm = try await Realm.temporary([AtlasIntHolder.self, Room.self])
        try await realm.write { tx in
            let object = try tx.create(AtlasIntHolder.self, value: ["number": 1])
            let unknown = Self.error {
                try tx.objects(AtlasIntHolder.self).setValue(1, forKey: "two")
            }
            expectTrue(unknown?.code == .invalidInput && unknown?.property == "two")
            expectEqual(unknown?.message.contains("AtlasIntHolder has no property \"two\""), true)
            let key = Self.error {
                try tx.objects(AtlasIntHolder.self).setValue(1, forKey: "number")
            }
            expectTrue(key?.code == .invalidInput && key?.property == "number")
            let taken = Self.error { try tx.create(AtlasIntHolder.self, value: ["number": 1]) }
            expectTrue(taken?.code == .duplicatePrimaryKey && taken?.key == "1")
            expectTrue(taken?.className == "AtlasIntHolder" && taken?.property == "number")
            let many = Self.error { try tx.create(Room.self, value: ["a", "b", "c"]) }
            expectTrue(many?.code == .invalidInput && many?.className == "Room")
            let none = Self.error { try tx.create(Room.self, value: 7 as Any) }
            expectTrue(none?.code == .invalidInput && none?.message.contains("7 (Int)") == true)
            expectTrue(!object.isInvalidated && tx.objects(Room.self).isEmpty)
        }
    }

    /// Values of the right type that exceed the limits of storage.
    // Covers 12.29, .invalidValue
    @Test func valuesBeyondTheLimitsAreToldWithClassAndProperty() async throws {
        let types: [ObjectBase.Type] = [
            AtlasStringHolder.self, AtlasDataHolder.self, AtlasDateHolder.self,
        ]
        let realm = try await Realm.temporary(types)
        let tooLong = longText(16 << 20)
        func error(_ body: @escaping @Sendable (Transaction) throws -> Void) async -> Realm.Error? {
            await realmError { try await realm.write { try body($0) } }
        }
        let errors = [
            await error { tx in
                try tx.create(AtlasStringHolder.self, value: ["number": 1]).one = tooLong
            },
            await error { tx in
                try tx.create(AtlasDataHolder.self, value: ["number": 1]).one = Data(tooLong.utf8)
            },
            await error { tx in
                try tx.create(AtlasDateHolder.self, value: ["number": 1]).one =
                    Date(timeIntervalSinceReferenceDate: .nan)
            },
        ]
        for (error, type) in zip(errors, types) {
            expectTrue(error?.code == .invalidValue && error?.className == "\(type)")
            expectEqual(error?.property, "one")
            expectEqual(error?.message.contains("\(type).one"), true, "\(error?.message ?? "")")
        }
        let dotted = await error { tx in
            try tx.create(AtlasStringHolder.self, value: ["number": 1]).map["a.b"] = "c"
        }
        expectTrue(dotted?.code == .invalidValue && dotted?.property == "map")
        expectEqual(dotted?.message.contains("%2E"), true)
        expectTrue(realm.snapshot().objects(AtlasStringHolder.self).isEmpty)
    }
}
