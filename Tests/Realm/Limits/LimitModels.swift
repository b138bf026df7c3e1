import Foundation
import Regnum
import RegnumTestSupport

enum LimitedNumber: Int8, PersistableEnum {
    case low = -128
    case high = 127
}

final class LimitBox: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text: String
    @Persisted(indexed: true) var name: String
    @Persisted var data: Data
    @Persisted var any: AnyRealmValue
    @Persisted var texts: List<String>
    @Persisted var blobs: MutableSet<Data>
    @Persisted var entries: Map<String, String>
    @Persisted var values: List<AnyRealmValue>
    @Persisted var date: Date
    @Persisted var dates: List<Date>
    @Persisted var small: Int8
    @Persisted var smalls: List<Int8>
    @Persisted var smallMap: Map<String, Int16>
    @Persisted var number: LimitedNumber
    @Persisted var ratio: Float
    @Persisted var amount: Decimal128
    @Persisted var next: LimitBox?
    @Persisted var boxes: List<LimitBox>
}

final class LimitKey: Object {
    @Persisted(primaryKey: true) var key: String
    @Persisted var count: Int
}

/// The ways to store a value in a property.
enum LimitWay: CaseIterable, Sendable {
    /// An assignment to the property of a managed object.
    case typed
    /// `tx.add` of an object that has the value.
    case added
    /// `tx.create(value:)`, or `tx.create(value:update:)` for an existing object.
    case created, updated
    /// `object["name"] = value`.
    case named
    /// `tx.dynamicCreate`, and `dynamicObject["name"] = value`.
    case dynamicCreated, dynamic
    /// A JSON line, as text or in a file.
    case imported, importedFile

    var isImport: Bool { self == .imported || self == .importedFile }
}

/// Values of one kind for one property, parameterized by the limited size.
struct LimitRow: Sendable {
    let name: String
    let property: String
    /// The maximum size.
    let limit: Int
    /// The text that the error for a greater size contains.
    var told: String?
    var ways = LimitWay.allCases
    let value: @Sendable (Int) -> Any
    /// The value as in a JSON line.
    let json: @Sendable (Int) -> String
    /// Assigns the value in the declared type; `nil` where the compiler refuses greater ones.
    var assign: (@Sendable (LimitBox, Int) -> Void)?
    /// Whether an object has the value.
    let check: @Sendable (LimitBox, Int) -> Bool
}

extension LimitRow {
    static func text(_ size: Int) -> String { longText(size) }
    static func bytes(_ size: Int) -> Data { Data(repeating: 7, count: size) }
    private static func quoted(_ size: Int) -> String { "\"\(text(size))\"" }
    private static func base64(_ size: Int) -> String { "\"\(bytes(size).base64EncodedString())\"" }

    /// Returns lists nested to that many levels.
    static func lists(_ levels: Int) -> AnyRealmValue {
        (0..<levels).reduce(.int(5)) { value, _ in .fromArray([value]) }
    }

    /// Returns dictionaries nested to that many levels.
    static func dictionaries(_ levels: Int) -> AnyRealmValue {
        (0..<levels).reduce(.int(5)) { value, _ in .fromDictionary(["k": value]) }
    }

    private static func levels(_ value: AnyRealmValue) -> Int {
        var (value, levels) = (value, 0)
        while true {
            switch value {
            case .list(let list) where list.count == 1: value = list[0]
            case .dictionary(let map) where map.count == 1: value = map["k"] ?? .none
            default: return value == .int(5) ? levels : -1
            }
            levels += 1
        }
    }

    private static let maximumString = 16_777_199
    private static let maximumData = 16_777_200

    private static let string = LimitRow(
        name: "string", property: "text", limit: maximumString, value: text,
        json: quoted, assign: { $0.text = text($1) }, check: { $0.text.utf8.count == $1 })

    private static let indexedString = LimitRow(
        name: "indexed string", property: "name", limit: maximumString, value: text,
        json: quoted, assign: { $0.name = text($1) }, check: { $0.name.utf8.count == $1 })

    private static let data = LimitRow(
        name: "data", property: "data", limit: maximumData, value: bytes,
        json: base64, assign: { $0.data = bytes($1) }, check: { $0.data.count == $1 })

    private static let anyString = LimitRow(
        name: "string of any type", property: "any", limit: maximumString,
        value: { AnyRealmValue.string(text($0)) }, json: { "{\"string\":\(quoted($0))}" },
        assign: { $0.any = .string(text($1)) },
        check: { $0.any.stringValue?.utf8.count == $1 })

    private static let anyData = LimitRow(
        name: "data of any type", property: "any", limit: maximumData,
        value: { AnyRealmValue.data(bytes($0)) }, json: { "{\"data\":\(base64($0))}" },
        assign: { $0.any = .data(bytes($1)) }, check: { $0.any.dataValue?.count == $1 })

    private static let anyKey = LimitRow(
        name: "key of a dictionary of any type", property: "any", limit: maximumString,
        value: { AnyRealmValue.fromDictionary([text($0): .int(5)]) },
        json: { "{\"dictionary\":{\(quoted($0)):{\"int\":5}}}" },
        assign: { $0.any = .fromDictionary([text($1): .int(5)]) },
        check: { $0.any.dictionaryValue?.keys.first?.utf8.count == $1 })

    private static let nestedData = LimitRow(
        name: "data within a list of any type", property: "values", limit: maximumData,
        value: { [AnyRealmValue.fromArray([.data(bytes($0))])] },
        json: { "[{\"list\":[{\"data\":\(base64($0))}]}]" },
        assign: {
            $0.values.removeAll()
            $0.values.append(.fromArray([.data(bytes($1))]))
        },
        check: { $0.values.first?.listValue?.first?.dataValue?.count == $1 })

    private static let listString = LimitRow(
        name: "string in a list", property: "texts", limit: maximumString,
        value: { [text($0)] }, json: { "[\(quoted($0))]" },
        assign: {
            $0.texts.removeAll()
            $0.texts.append(text($1))
        }, check: { $0.texts.first?.utf8.count == $1 })

    private static let setData = LimitRow(
        name: "data in a set", property: "blobs", limit: maximumData,
        value: { [bytes($0)] }, json: { "[\(base64($0))]" },
        assign: {
            $0.blobs.removeAll()
            $0.blobs.insert(bytes($1))
        }, check: { $0.blobs.first?.count == $1 })

    private static let mapValue = LimitRow(
        name: "value of a map", property: "entries", limit: maximumString,
        value: { ["k": text($0)] }, json: { "{\"k\":\(quoted($0))}" },
        assign: { $0.entries["k"] = text($1) },
        check: { $0.entries["k"]?.utf8.count == $1 })

    private static let mapKey = LimitRow(
        name: "key of a map", property: "entries", limit: maximumString,
        value: { [text($0): "v"] }, json: { "{\(quoted($0)):\"v\"}" },
        assign: {
            $0.entries.removeAll()
            $0.entries[text($1)] = "v"
        }, check: { $0.entries.keys.first?.utf8.count == $1 })

    /// Limits of bytes.
    static let large: [LimitRow] = [
        string, indexedString, data, anyString, anyData, anyKey, nestedData, listString, setData,
        mapValue, mapKey,
    ]

    private static let anyLists = LimitRow(
        name: "lists of any type", property: "any", limit: 100, value: { lists($0) },
        json: { size in
            (0..<size).reduce("{\"int\":5}") { json, _ in "{\"list\":[\(json)]}" }
        }, assign: { $0.any = lists($1) }, check: { levels($0.any) == $1 })

    private static let anyDictionaries = LimitRow(
        name: "dictionaries of any type", property: "any", limit: 100,
        value: { dictionaries($0) },
        json: { size in
            (0..<size).reduce("{\"int\":5}") { json, _ in "{\"dictionary\":{\"k\":\(json)}}" }
        }, assign: { $0.any = dictionaries($1) }, check: { levels($0.any) == $1 })

    private static let listLists = LimitRow(
        name: "lists in a list of any type", property: "values", limit: 100,
        value: { [lists($0)] },
        json: { size in
            "[" + (0..<size).reduce("{\"int\":5}") { json, _ in "{\"list\":[\(json)]}" } + "]"
        },
        assign: {
            $0.values.removeAll()
            $0.values.append(lists($1))
        }, check: { $0.values.first.map(levels) == $1 })

    private static let int8 = LimitRow(
        name: "Int8", property: "small", limit: 127, told: "Int8", value: { $0 },
        json: { "\($0)" }, check: { Int($0.small) == $1 })

    private static let leastInt8 = LimitRow(
        name: "least Int8", property: "small", limit: 128, told: "Int8", value: { -$0 },
        json: { "\(-$0)" }, check: { Int($0.small) == -$1 })

    private static let listInt8 = LimitRow(
        name: "Int8 in a list", property: "smalls", limit: 127, told: "Int8",
        value: { [$0] }, json: { "[\($0)]" }, check: { $0.smalls.first.map(Int.init) == $1 })

    private static let mapInt16 = LimitRow(
        name: "Int16 in a map", property: "smallMap", limit: 32_767, told: "Int16",
        value: { ["k": $0] }, json: { "{\"k\":\($0)}" },
        check: { $0.smallMap["k"].map(Int.init) == $1 })

    /// Limits of numbers and levels.
    static let small: [LimitRow] = [
        anyLists, anyDictionaries, listLists, int8, leastInt8, listInt8, mapInt16,
    ]

    /// Returns a row for a value that is always refused, as the first one beyond the limit.
    static func refused(
        _ name: String, _ property: String, _ told: String, _ value: @escaping @Sendable () -> Any,
        json: String, assign: (@Sendable (LimitBox) -> Void)? = nil
    ) -> LimitRow {
        var row = LimitRow(
            name: name, property: property, limit: 0, told: told, value: { _ in value() },
            json: { _ in json }, check: { _, _ in false })
        if let assign { row.assign = { box, _ in assign(box) } }
        return row
    }
}
