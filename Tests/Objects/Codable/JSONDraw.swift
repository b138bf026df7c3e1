import Foundation
import Regnum
import RegnumTestSupport

@testable import RegnumTestModels

/// Random content of a realm, including values that are hard to serialize.
struct JSONDraw {
    var random: SeededRandom

    mutating func flag(_ share: Int = 2) -> Bool { Int.random(in: 0..<share, using: &random) == 0 }

    mutating func some<T>(_ make: (inout JSONDraw) -> T) -> T? { flag(3) ? nil : make(&self) }

    mutating func many<T>(_ make: (inout JSONDraw) -> T) -> [T] {
        (0..<Int.random(in: 0...4, using: &random)).map { _ in make(&self) }
    }

    mutating func double() -> Double {
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            [.nan, -.nan, Double(bitPattern: 0x7FF8_0000_0000_0123)].randomElement(using: &random)!
        case 1: [.infinity, -.infinity, 0, -0.0].randomElement(using: &random)!
        case 2:
            [.leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e20, 0.1, 1 / 3]
                .randomElement(using: &random)!
        case 3...5: Double(Int.random(in: -1000...1000, using: &random)) / 8
        default: finite()
        }
    }

    private mutating func finite() -> Double {
        let value = Double(bitPattern: .random(in: 0 ... .max, using: &random))
        return value.isNaN ? 1.5 : value
    }

    mutating func float() -> Float {
        let value = Float(bitPattern: .random(in: 0 ... .max, using: &random))
        return value.isNaN ? 0.1 : value
    }

    mutating func text() -> String {
        let pieces = [
            "", "a", "\"", "\\", "\n", "\u{0}", "\u{1F}", "\u{7F}", "é", "e\u{301}", "日本", "👩‍👩‍👧",
            "\u{2028}", "\u{10FFFF}", "/", "\t", "null", "{\"a\":1}",
        ]
        return many { $0.pieces(pieces) }.joined()
    }

    private mutating func pieces(_ from: [String]) -> String { from.randomElement(using: &random)! }

    /// Returns a text that is valid as the key of a map.
    mutating func mapKey() -> String {
        let text = text()
        return text.hasPrefix("$") || text.contains(".") ? "k" : text
    }

    mutating func data() -> Data {
        Data(
            (0..<Int.random(in: 0...9, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            })
    }

    mutating func date() -> Date {
        let seconds: Double =
            switch Int.random(in: 0..<6, using: &random) {
            case 0: finite()
            case 1:
                [0, -0.0, .infinity, 1e-12, -1e-12, -978_307_200].randomElement(using: &random)!
            case 2: Double(Int.random(in: -70_000_000_000...300_000_000_000, using: &random))
            case 3: Double.random(in: -1e9...1e9, using: &random)
            default:
                Double(Int.random(in: -1_000_000...900_000_000, using: &random)) + 0.123_456_789
            }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    mutating func decimal() -> Decimal128 {
        let digits = (0..<Int.random(in: 1...34, using: &random)).map { _ in
            "\(Int.random(in: 0...9, using: &random))"
        }.joined()
        let text =
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                ["NaN", "Infinity", "-Infinity", "0", "-0", "0E+10", "1.500"]
                    .randomElement(using: &random)!
            default:
                (flag() ? "-" : "") + digits
                    + "E\(Int.random(in: -6000...6000, using: &random))"
            }
        return Decimal128(string: text)
    }

    mutating func uuid() -> UUID {
        let words = [random.next(), random.next()]
        return words.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    mutating func objectId() -> ObjectId {
        try! ObjectId(
            string: String(
                (String(random.next(), radix: 16)
                    + "0123456789abcdef0123456789").prefix(24)))
    }

    /// Returns things and keyed objects with all kinds of links among them, including cycles.
    mutating func content() -> (things: [JSONThing], keyed: [JSONKeyed]) {
        let names = Set(["", "b\u{301}", "\u{0}"].filter { _ in flag() } + many { $0.text() })
        var keyed = names.map { JSONKeyed(value: ["name": $0]) }
        if flag() { keyed.append(JSONKeyed()) }
        let things = (0..<Int.random(in: 0...8, using: &random)).map {
            JSONThing(value: ["tag": $0])
        }
        for object in keyed {
            object.friend = some { _ in 0 } == nil ? nil : keyed.randomElement(using: &random)
            object.thing = things.randomElement(using: &random)
            object.small = .random(in: .min ... .max, using: &random)
        }
        for thing in things { fill(thing, things, keyed) }
        return (things, keyed)
    }

    /// Returns a value of any type, with lists and dictionaries nested up to three levels.
    private mutating func any(
        _ things: [JSONThing], _ keyed: [JSONKeyed], level: Int = 0
    ) -> AnyRealmValue {
        switch Int.random(in: 0..<(level < 3 ? 16 : 13), using: &random) {
        case 0: return .none
        case 1: return .bool(flag())
        case 2: return .int(.random(in: .min ... .max, using: &random))
        case 3: return .float(float())
        case 4: return .double(double())
        case 5: return .decimal128(decimal())
        case 6: return .string(text())
        case 7: return .data(data())
        case 8: return .date(date())
        case 9: return .objectId(objectId())
        case 10: return .uuid(uuid())
        case 11: return things.randomElement(using: &random).map { .object($0) } ?? .none
        case 12: return keyed.randomElement(using: &random).map { .object($0) } ?? .none
        case 13:
            let map = Map<String, AnyRealmValue>()
            for _ in 0..<2 { map[mapKey()] = any(things, keyed, level: level + 1) }
            return .dictionary(map)
        default:
            return .list(List(many { $0.any(things, keyed, level: level + 1) }))
        }
    }

    private mutating func part(_ things: [JSONThing], _ keyed: [JSONKeyed]) -> JSONPart {
        let part = JSONPart()
        part.label = text()
        part.thing = flag() ? things.randomElement(using: &random) : nil
        part.sizes.append(objectsIn: many { $0.float() })
        let bolts = many { draw in
            let bolt = JSONBolt()
            bolt.size = draw.double()
            bolt.keyed = keyed.randomElement(using: &draw.random)
            return bolt
        }
        part.bolts.append(objectsIn: bolts)
        return part
    }

    private mutating func fill(_ thing: JSONThing, _ things: [JSONThing], _ keyed: [JSONKeyed]) {
        thing.bool = flag()
        thing.float = float()
        thing.double = double()
        thing.text = text()
        thing.data = data()
        thing.date = date()
        thing.decimal = decimal()
        thing.uuid = uuid()
        thing.objectId = objectId()
        thing.mood = JSONMood.allCases.randomElement(using: &random)!
        thing.boolOpt = some { $0.flag() }
        thing.intOpt = some { .random(in: .min ... .max, using: &$0.random) }
        thing.doubleOpt = some { $0.double() }
        thing.textOpt = some { $0.text() }
        thing.dataOpt = some { $0.data() }
        thing.dateOpt = some { $0.date() }
        thing.decimalOpt = some { $0.decimal() }
        thing.uuidOpt = some { $0.uuid() }
        thing.objectIdOpt = some { $0.objectId() }
        thing.moodOpt = some { JSONMood.allCases.randomElement(using: &$0.random)! }
        thing.texts.append(objectsIn: many { draw in draw.some { $0.text() } })
        thing.doubles.insert(objectsIn: many { $0.double() })
        for _ in 0..<3 { thing.dates[mapKey()] = some { $0.date() } }
        thing.decimals.append(objectsIn: many { $0.decimal() })
        thing.other = flag() ? things.randomElement(using: &random) : nil
        thing.keyed = flag() ? keyed.randomElement(using: &random) : nil
        thing.others.append(objectsIn: many { things.randomElement(using: &$0.random)! })
        if !keyed.isEmpty {
            thing.keyedSet.insert(objectsIn: many { keyed.randomElement(using: &$0.random)! })
        }
        for _ in 0..<2 {
            thing.named[mapKey()] = flag() ? things.randomElement(using: &random) : .some(nil)
            thing.partsByName[mapKey()] = flag() ? part(things, keyed) : .some(nil)
        }
        thing.any = any(things, keyed)
        thing.anyList.append(objectsIn: many { $0.any(things, keyed) })
        thing.anySet.insert(objectsIn: many { $0.any(things, keyed, level: 3) })
        for _ in 0..<2 { thing.anyMap[mapKey()] = any(things, keyed) }
        thing.part = some { $0.part(things, keyed) }
        thing.parts.append(objectsIn: many { $0.part(things, keyed) })
    }
}

extension Realm {
    static func json(_ types: [ObjectBase.Type]? = nil) async throws -> Realm {
        try await Realm.open(
            Realm.Configuration(
                location: .inMemory(identifier: "json-\(UUID())"), objectTypes: types))
    }
}
