import Foundation
import Regnum
import RegnumTestSupport

@testable import RegnumTestModels

/// Programs whose classes have the same names but different properties; the random test migrates
/// from any of them to any other. `uid` identifies objects.
enum MigVariants {
    enum Zero {
        final class MigRand: Object {
            @Persisted var uid: Int
            @Persisted var a: Int
            @Persisted(indexed: true) var b: String
            @Persisted var c: Double
            @Persisted var l: List<Int>
            @Persisted var side: MigSide?
        }
        final class MigSide: Object { @Persisted var text: String }
    }
    enum One {
        final class MigRand: Object {
            @Persisted(primaryKey: true) var uid: Int
            @Persisted var a: Int?
            @Persisted(indexed: true) var b: String?
            @Persisted var d: Bool
            @Persisted var l: List<Int>
            @Persisted var s: MutableSet<String>
            @Persisted var side: MigSide?
        }
        final class MigSide: Object {
            @Persisted var text: String
            @Persisted var extra: Int
        }
    }
    enum Two {
        final class MigRand: Object {
            @Persisted(primaryKey: true) var uid: Int
            @Persisted(indexed: true) var a: String
            @Persisted var b: Data
            @Persisted var e = Date(timeIntervalSinceReferenceDate: 0)
            @Persisted var l: List<String>
            @Persisted var m: Map<String, Int>
            @Persisted var side: MigSide?
        }
        final class MigSide: EmbeddedObject { @Persisted var text: String }
    }
    enum Three {
        final class MigRand: Object {
            @Persisted(indexed: true) var uid: Int
            @Persisted var b: String
            @Persisted var f: String?
            @Persisted var c: Double?
            @Persisted var l2: List<Int>
            @Persisted var side: MigSide?
        }
        final class MigSide: EmbeddedObject { @Persisted var text: String }
    }
    enum Four {
        final class MigRand: Object {
            @Persisted(primaryKey: true) var uid: Int
            @Persisted(indexed: true) var a: Int
            @Persisted var c: Double
            @Persisted var s: MutableSet<Int>
            @Persisted var m: Map<String, Int?>
            @Persisted var sides: List<MigSide>
        }
        final class MigSide: Object { @Persisted var text: String }
    }
    enum Five {
        final class MigRand: Object {
            @Persisted var uid: Int
            @Persisted var g: UUID?
            @Persisted var a: Int?
            @Persisted var x: Int?
            @Persisted var l: List<String>
            @Persisted var side: MigSide?
            @Persisted var sides: List<MigSide>
        }
        final class MigSide: EmbeddedObject { @Persisted var text: String }
    }

    static let types: [[ObjectBase.Type]] = [
        [Zero.MigRand.self, Zero.MigSide.self], [One.MigRand.self, One.MigSide.self],
        [Two.MigRand.self, Two.MigSide.self], [Three.MigRand.self, Three.MigSide.self],
        [Four.MigRand.self, Four.MigSide.self], [Five.MigRand.self, Five.MigSide.self],
    ]

    /// The declaration of `MigRand` in each program: the type of each property, as in messages.
    static let properties: [[String: String]] = [
        [
            "uid": "Int", "a": "Int", "b": "String", "c": "Double", "l": "List<Int>",
            "side": "MigSide?",
        ],
        [
            "uid": "Int", "a": "Int?", "b": "String?", "d": "Bool", "l": "List<Int>",
            "s": "MutableSet<String>", "side": "MigSide?",
        ],
        [
            "uid": "Int", "a": "String", "b": "Data", "e": "Date", "l": "List<String>",
            "m": "Map<String, Int>", "side": "MigSide?",
        ],
        [
            "uid": "Int", "b": "String", "f": "String?", "c": "Double?", "l2": "List<Int>",
            "side": "MigSide?",
        ],
        [
            "uid": "Int", "a": "Int", "c": "Double", "s": "MutableSet<Int>",
            "m": "Map<String, Int?>", "sides": "List<MigSide>",
        ],
        [
            "uid": "Int", "g": "UUID?", "a": "Int?", "x": "Int?", "l": "List<String>",
            "side": "MigSide?", "sides": "List<MigSide>",
        ],
    ]

    static let isEmbedded = [false, false, true, true, false, true]
}

/// The plain model: each object's stored properties as texts, including those that the program
/// doesn't declare, and their types.
struct MigrationModel {
    var types: [String: String] = [:]
    /// The values of stored properties that the program doesn't declare, in new objects.
    var defaults: [String: String] = [:]
    var objects: [Int: [String: String]] = [:]

    /// Creates an object as a program that declares these properties does.
    mutating func make(_ uid: Int, _ declared: [String: String]) {
        var values = defaults
        for (name, type) in declared { values[name] = Self.zero(type) }
        values["uid"] = "\(uid)"
        objects[uid] = values
    }

    /// Returns the text of the default value of a property of that type.
    static func zero(_ type: String) -> String {
        if type.hasSuffix("?") { return "nil" }
        switch type {
        case "Int": return "0"
        case "Double": return "0.0"
        case "String": return ""
        case "Bool": return "false"
        case "Data": return "0 bytes"
        case "Date": return "0.0 s"
        default: return "[]"
        }
    }

    /// Returns a value in the form of the model.
    static func text(_ value: Any?) -> String {
        switch value {
        case nil: "nil"
        case let object as DynamicObject: "<\(text(object["text"]))>"
        case let list as DynamicList: "[\(list.map { text($0) }.joined(separator: ","))]"
        case let set as DynamicMutableSet: "[\(set.map { text($0) }.joined(separator: ","))]"
        case let map as DynamicMap:
            "[\(map.map { "\($0.key):\(text($0.value))" }.joined(separator: ","))]"
        case let data as Data: "\(data.count) bytes"
        case let date as Date: "\(date.timeIntervalSinceReferenceDate) s"
        case let value?: "\(value)"
        }
    }

    /// Returns the stored objects of a transaction in the form of the model.
    static func objects(of tx: Transaction) throws -> [Int: [String: String]] {
        var objects: [Int: [String: String]] = [:]
        for object in try tx.dynamicObjects("MigRand") {
            var values: [String: String] = [:]
            for name in object.propertyNames { values[name] = text(object[name]) }
            objects[object["uid"] as? Int ?? -1] = values
        }
        return objects
    }

    /// Returns a random value for a property, and its text.
    static func value(_ type: String, _ random: inout SeededRandom) -> (value: Any?, text: String) {
        let number = Int.random(in: 0...300, using: &random)
        if type.hasSuffix("?"), number % 4 == 0 { return (nil, "nil") }
        let count = number % 4
        switch type {
        case "Int", "Int?": return (number, "\(number)")
        case "Double", "Double?": return (Double(number), "\(Double(number))")
        case "String", "String?":
            let text = String(repeating: "\(number)é", count: number % 40 == 0 ? 2_000 : 1 + count)
            return (text, text)
        case "Bool": return (count > 1, "\(count > 1)")
        case "Data": return (Data(repeating: 7, count: number), "\(number) bytes")
        case "Date":
            let date = Date(timeIntervalSinceReferenceDate: Double(number))
            return (date, "\(Double(number)) s")
        case "UUID?":
            let id = UUID(uuidString: "00000000-0000-0000-0000-" + String(format: "%012d", number))
            return (id, text(id))
        case "MigSide?": return (["text": "s\(number)"], "<s\(number)>")
        case "List<MigSide>":
            let texts = (0..<count).map { "s\(number + $0)" }
            return (
                texts.map { ["text": $0] }, "[\(texts.map { "<\($0)>" }.joined(separator: ","))]"
            )
        case "List<Int>", "MutableSet<Int>":
            let numbers = (0..<count).map { number + $0 }
            return (numbers, "[\(numbers.map { "\($0)" }.joined(separator: ","))]")
        case "List<String>", "MutableSet<String>":
            let texts = (0..<count).map { "t\(1_000 + number + $0)" }
            return (texts, "[\(texts.joined(separator: ","))]")
        case "Map<String, Int>", "Map<String, Int?>":
            let numbers = (0..<count).map { number + $0 }
            let pairs = numbers.map { ("k\(1_000 + $0)", $0 as Any) }
            return (
                Dictionary(uniqueKeysWithValues: pairs),
                "[\(numbers.map { "k\(1_000 + $0):\($0)" }.joined(separator: ","))]"
            )
        default: preconditionFailure("The model does not know \(type).")
        }
    }
}
