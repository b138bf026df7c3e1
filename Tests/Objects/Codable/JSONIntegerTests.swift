import RegnumJSON
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

final class JSONWhole: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var int8: Int8
    @Persisted var int16: Int16
    @Persisted var int32: Int32
    @Persisted var int64: Int64
    @Persisted var int: Int
    @Persisted var list: List<Int64>
    @Persisted var any: AnyRealmValue
}

/// Integers in all notations of JSON numbers: they are accepted if they are exact.
@Suite struct JSONIntegerTests {
    private static let types: [(name: String, least: Int64, greatest: Int64)] = [
        ("int8", Int64(Int8.min), Int64(Int8.max)), ("int16", Int64(Int16.min), Int64(Int16.max)),
        ("int32", Int64(Int32.min), Int64(Int32.max)), ("int64", .min, .max), ("int", .min, .max),
    ]

    /// Returns notations of an integer.
    private static func notations(_ integer: Int128) -> [String] {
        if integer == 0 { return ["0", "-0", "0.0", "0e0", "0.000E-9", "0e+9"] }
        let sign = integer < 0 ? "-" : ""
        let digits = "\(integer.magnitude)"
        return [
            "\(integer)", "\(integer).0", "\(integer).00000000000000000000000000", "\(integer)e0",
            "\(integer)E+000", "\(integer)000e-3", "\(integer)00.000E-2",
            "\(sign)\(digits.first!).\(digits.dropFirst())0e\(digits.count - 1)",
            "\(sign)0.\(digits)e+\(digits.count)", "\(sign)0.000\(digits)e\(digits.count + 3)",
        ]
    }

    private let realm: Realm

    init() async throws { realm = try await Realm.json([JSONWhole.self]) }

    private func error(_ property: String, _ value: String) async -> Realm.Error? {
        let line = #"{"class":"JSONWhole","values":{"id":1,"\#(property)":\#(value)}}"#
        return await realmError { try await realm.importJSON(text: line, update: .all) }
    }

    private func stored(_ property: String) -> Int64? {
        guard let object = realm.snapshot().objects(JSONWhole.self).first else { return nil }
        return switch property {
        case "int8": Int64(object.int8)
        case "int16": Int64(object.int16)
        case "int32": Int64(object.int32)
        case "int64": object.int64
        case "int": Int64(object.int)
        default: nil
        }
    }

    // Covers .invalidValue
    @Test func limitsOfAllTypesHoldInAllNotations() async throws {
        for (name, least, greatest) in Self.types {
            for value in [least, least + 1, -1, 0, 1, 10, greatest - 1, greatest] {
                for text in Self.notations(Int128(value)) {
                    let error = await error(name, text)
                    expectNil(error, "\(name): \(text)")
                    expectEqual(stored(name), value, "\(name): \(text)")
                }
            }
            for value in [Int128(least) - 1, Int128(greatest) + 1, Int128(least) * 10] {
                for text in Self.notations(value) {
                    let error = await error(name, text)
                    expectTrue(
                        error?.code == .invalidValue && error?.property == name,
                        "\(name): \(text)")
                }
            }
            for value in [least, 1, greatest] {
                for fraction in [".5", ".00000000000000000000000001", "00000000.1e-8"] {
                    let error = await error(name, "\(value)\(fraction)")
                    expectEqual(error?.code, .invalidValue, "\(name): \(value)\(fraction)")
                }
            }
            expectEqual(stored(name), greatest)
        }
    }

    // Covers .invalidValue
    @Test(arguments: [
        "0.99999999999999999999", "-0.99999999999999999999", "1e-400", "-1e-400", "1e-1", "1e19",
        "1e400", "9223372036854775807.5", "9223372036854775808", "-9223372036854775809",
        "9007199254740993.1", "1e99999999999999999999999", "1e-99999999999999999999999",
    ])
    func numbersThatAreNotIntegersAreRefused(_ text: String) async {
        for (property, value) in [
            ("int", text), ("list", "[\(text)]"), ("any", #"{"int":\#(text)}"#),
        ] {
            let error = await error(property, value)
            expectTrue(error?.code == .invalidValue && error?.property == property)
        }
    }

    @Test(arguments: [
        ("0e99999999999999999999999", 0), ("0.000e-99999999999999999999999", 0), ("-0", 0),
        ("-0.0", 0), ("10e-1", 1), ("9007199254740993.0", 9_007_199_254_740_993),
        ("92233720368547758070e-1", Int64.max), ("1e18", 1_000_000_000_000_000_000),
    ])
    func exactIntegersAreAccepted(_ text: String, _ value: Int64) async {
        for (property, given) in [
            ("int64", text), ("list", "[\(text)]"), ("any", #"{"int":\#(text)}"#),
        ] {
            let error = await error(property, given)
            expectNil(error)
        }
        let object = realm.snapshot().objects(JSONWhole.self).first
        expectEqual(object?.int64, value)
        expectEqual(object?.list.first, value)
        expectEqual(object?.any, .int(Int(value)))
    }
}
