import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Values of Foundation classes, as returned by `JSONSerialization` and older code.
@Suite struct FoundationValueTests {
    final class FoundationSheet: Object {
        @Persisted var any: AnyRealmValue
        @Persisted var anys: List<AnyRealmValue>
        @Persisted var bool: Bool?
        @Persisted var small: Int8?
        @Persisted var int: Int?
        @Persisted var float: Float?
        @Persisted var double: Double?
        @Persisted var decimal: Decimal128?
        @Persisted var text: String?
        @Persisted var date: Date?
        @Persisted var data: Data?
        @Persisted var uuid: UUID?
        @Persisted var doubles: List<Double>
        @Persisted var decimals: MutableSet<Decimal128>
        @Persisted var uuids: Map<String, UUID>
    }

    private func realm() async throws -> Realm {
        try await Realm.temporary([FoundationSheet.self])
    }

    // Covers 7.22
    @Test func parsedJSONKeepsItsKinds() async throws {
        let json = """
            {"anys": [1, 0, 1.0, 0.0, 2.5, true, false, -7, 1234567890123, "1", null,
            [1, {"a": 2.5}], 12345678901234567890123],
            "decimal": 2.5, "any": 0, "doubles": [1, 2.5], "decimals": [1, 0.1]}
            """
        let expected: [AnyRealmValue] = [
            .int(1), .int(0), .double(1), .double(0), .double(2.5), .bool(true), .bool(false),
            .int(-7), .int(1_234_567_890_123), .string("1"), .none,
        ]
        try await realm().write { tx in
            let value = try JSONSerialization.jsonObject(with: Data(json.utf8))
            let values = try requireValue(value as? [String: Any])
            let created = try tx.create(FoundationSheet.self, value: value)
            let dynamic = try tx.dynamicCreate("FoundationSheet", value: values)
            let named = FoundationSheet()
            try tx.add(named)
            for (name, value) in values { named[name] = value }
            let unmanaged = FoundationSheet(value: value)
            try tx.add(unmanaged)
            for (index, sheet) in tx.objects(FoundationSheet.self).enumerated() {
                expectEqual(Array(sheet.anys.prefix(11)), expected, "sheet \(index)")
                let inner = try requireValue(sheet.anys[11].listValue)
                expectTrue(inner[0] == .int(1) && inner[1].dictionaryValue?["a"] == .double(2.5))
                expectEqual(sheet.anys[12], .decimal128("12345678901234567890123"))
                expectTrue(sheet.any == .int(0) && sheet.decimal == 2.5)
                expectEqual(Array(sheet.doubles), [1, 2.5])
                expectEqual(Array(sheet.decimals), ["0.1", 1])
            }
            expectTrue(created.any == .int(0) && dynamic["any"] as? Int == 0)
            expectEqual(tx.objects(FoundationSheet.self).count, 4)
        }
    }

    // Covers 7.21
    @Test func numbersAreTakenAsThoseOfSwift() async throws {
        let numbers: [(any Sendable, @Sendable () -> NSNumber)] = [
            (true, { NSNumber(value: true) }), (false, { NSNumber(value: false) }),
            (0, { NSNumber(value: 0) }), (1, { NSNumber(value: 1) }),
            (2, { NSNumber(value: 2) }), (-129, { NSNumber(value: -129) }),
            (Int8(3), { NSNumber(value: Int8(3)) }), (UInt32.max, { NSNumber(value: UInt32.max) }),
            (Int.max, { NSNumber(value: Int.max) }), (Int.min, { NSNumber(value: Int.min) }),
            (UInt64.max, { NSNumber(value: UInt64.max) }),
            (0.0, { NSNumber(value: 0.0) }), (1.0, { NSNumber(value: 1.0) }),
            (2.5, { NSNumber(value: 2.5) }), (1e300, { NSNumber(value: 1e300) }),
            (Double.infinity, { NSNumber(value: Double.infinity) }),
            (Float(2.2), { NSNumber(value: Float(2.2)) }),
            (Float(1), { NSNumber(value: Float(1)) }),
            (Decimal(string: "1.5") ?? 0, { NSDecimalNumber(string: "1.5") }),
        ]
        let names = ["any", "bool", "small", "int", "float", "double", "decimal", "text"]
        try await realm().write { tx in
            func stored(_ value: Any, _ name: String) -> [String] {
                let typed = try? tx.create(FoundationSheet.self, value: [name: value])
                let dynamic = try? tx.dynamicCreate("FoundationSheet", value: [name: value])
                return [
                    typed.map { described($0[name]) } ?? "-",
                    dynamic.map { described($0[name]) } ?? "-",
                ]
            }
            func described(_ value: Any?) -> String {
                value.map { "\($0) \(type(of: $0))" } ?? "nil"
            }
            for (swift, number) in numbers {
                for name in names {
                    let (swift, foundation) = (stored(swift, name), stored(number(), name))
                    expectEqual(swift, foundation, "\(name)")
                    if name != "small" { expectEqual(swift[0], swift[1], "\(name)") }
                }
            }
            expectEqual(stored(NSNumber(value: 1), "any"), ["1 Int", "1 Int"])
            expectEqual(stored(NSNumber(value: 1.0), "int"), ["-", "-"])
            expectEqual(stored(NSNumber(value: Float(2.2)), "decimal")[0], "2.2 Decimal128")
            expectEqual(stored(NSNumber(value: UInt64.max), "int"), ["-", "-"])
            expectEqual(stored(UInt64.max, "decimal")[0], "18446744073709551615 Decimal128")
            for integer: Any in [1 << 53 + 1, NSNumber(value: 1 << 53 + 1), UInt64.max, Int.max] {
                expectEqual(stored(integer, "double"), ["-", "-"])
                expectEqual(stored(integer, "float"), ["-", "-"])
            }
            expectEqual(stored(1 << 24 + 1, "float"), ["-", "-"])
            expectEqual(stored(1 << 53 + 2, "double")[0], "9.007199254740994e+15 Double")
            expectEqual(stored(1 << 24 + 2, "float")[0], "1.6777218e+07 Float")
            expectEqual(stored(UInt128.max, "decimal"), ["-", "-"])
            expectEqual(stored(NSNumber(value: 2), "bool"), ["-", "-"])
            expectEqual(stored(Decimal(1), "int"), ["-", "-"])
            for text in ["1E7000", "-1e+6145", "1" + String(repeating: "0", count: 6_145)] {
                expectEqual(stored(text, "decimal"), ["-", "-"])
            }
            expectEqual(
                stored("-inf", "decimal"), ["-Infinity Decimal128", "-Infinity Decimal128"])
            #if arch(x86_64)
                for name in ["float", "double", "decimal"] {
                    expectEqual(stored(Float80.greatestFiniteMagnitude, name), ["-", "-"])
                }
            #endif
        }
    }

    // Covers 7.21
    @Test func otherValuesAreTakenAsThoseOfSwift() async throws {
        let (uuid, date, data) = (UUID(), Date(), Data([1, 2]))
        try await realm().write { tx in
            let values: [String: Any] = [
                "date": NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate),
                "data": NSData(data: data), "uuid": uuid.uuidString.lowercased(),
                "uuids": [
                    "a": uuid.uuidString as Any, "b": NSUUID(uuidString: uuid.uuidString) as Any,
                ],
                "anys": [
                    NSData(data: data), NSUUID(uuidString: uuid.uuidString) as Any, NSString("x"),
                ],
                "text": NSString("t"),
            ]
            try tx.create(FoundationSheet.self, value: values)
            try tx.dynamicCreate("FoundationSheet", value: values)
            for sheet in tx.objects(FoundationSheet.self) {
                expectTrue(sheet.date == date && sheet.data == data && sheet.uuid == uuid)
                expectTrue(
                    sheet.uuids["a"] == uuid && sheet.uuids["b"] == uuid && sheet.text == "t")
                expectEqual(Array(sheet.anys), [.data(data), .uuid(uuid), .string("x")])
            }
            for wrong in ["", "x", uuid.uuidString + "0"] {
                #expect(throws: Realm.Error.self) {
                    try tx.create(FoundationSheet.self, value: ["uuid": wrong])
                }
            }
        }
    }

    // Covers 1.39
    @Test func signallingFloatsStaySignalling() async throws {
        for bits: UInt32 in [0x7FA0_0001, 0xFF80_0001, 0x7FC0_0000, 0xFFC0_1234] {
            let realm = try await realm()
            try await realm.write { tx in
                let sheet = try tx.create(FoundationSheet.self)
                sheet.float = Float(bitPattern: bits)
                sheet.anys.append(.float(Float(bitPattern: bits)))
            }
            let sheet = try requireValue(realm.snapshot().objects(FoundationSheet.self).first)
            expectEqual(sheet.float?.bitPattern, bits)
            try await realm.read { tx in
                let sheet = tx.objects(FoundationSheet.self)[0]
                expectEqual(sheet.float?.bitPattern, bits)
                expectEqual(sheet.anys[0].floatValue?.bitPattern, bits)
            }
        }
    }
}
