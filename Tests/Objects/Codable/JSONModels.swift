import Foundation
import Regnum

@testable import RegnumTestModels

enum JSONMood: String, PersistableEnum { case calm, wild, ä }

/// A class whose primary key can be `nil`.
final class JSONKeyed: Object {
    @Persisted(primaryKey: true) var name: String?
    @Persisted var friend: JSONKeyed?
    @Persisted var thing: JSONThing?
    @Persisted(indexed: true) var small: Int8
}

final class JSONPart: EmbeddedObject {
    @Persisted var label: String
    @Persisted var thing: JSONThing?
    @Persisted var bolts: List<JSONBolt>
    @Persisted var sizes: List<Float>
}

final class JSONBolt: EmbeddedObject {
    @Persisted var size: Double
    @Persisted var keyed: JSONKeyed?
}

/// A class without a primary key; the tests identify objects by their tag.
final class JSONThing: Object {
    @Persisted(indexed: true) var tag: Int
    @Persisted var bool: Bool
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var text = "initial"
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var decimal: Decimal128
    @Persisted var uuid: UUID
    @Persisted var objectId: ObjectId
    @Persisted var mood: JSONMood
    @Persisted var boolOpt: Bool?
    @Persisted var intOpt: Int64?
    @Persisted var doubleOpt: Double?
    @Persisted var textOpt: String?
    @Persisted var dataOpt: Data?
    @Persisted var dateOpt: Date?
    @Persisted var decimalOpt: Decimal128?
    @Persisted var uuidOpt: UUID?
    @Persisted var objectIdOpt: ObjectId?
    @Persisted var moodOpt: JSONMood?
    @Persisted var texts: List<String?>
    @Persisted var doubles: MutableSet<Double>
    @Persisted var dates: Map<String, Date?>
    @Persisted var decimals: List<Decimal128>
    @Persisted var other: JSONThing?
    @Persisted var keyed: JSONKeyed?
    @Persisted var others: List<JSONThing>
    @Persisted var keyedSet: MutableSet<JSONKeyed>
    @Persisted var named: Map<String, JSONThing?>
    @Persisted var part: JSONPart?
    @Persisted var parts: List<JSONPart>
    @Persisted var partsByName: Map<String, JSONPart?>
    @Persisted var any: AnyRealmValue
    @Persisted var anyList: List<AnyRealmValue>
    @Persisted var anySet: MutableSet<AnyRealmValue>
    @Persisted var anyMap: Map<String, AnyRealmValue>
    @Persisted(originProperty: "other") var origins: LinkingObjects<JSONThing>
}

let jsonTypes: [ObjectBase.Type] = [
    JSONThing.self, JSONKeyed.self, JSONPart.self, JSONBolt.self,
]

// The exact content of managed and unmanaged objects, as texts.

private func bits(_ value: Double) -> String { String(value.bitPattern, radix: 16) }
private func bits(_ value: Date) -> String { bits(value.timeIntervalSinceReferenceDate) }
private func bits(_ value: String) -> String { value.utf8.map { "\($0)" }.joined(separator: ".") }

extension JSONThing {
    var plain: [String: String] {
        [
            "tag": "\(tag)", "bool": "\(bool)", "float": "\(float.bitPattern)",
            "double": bits(double), "text": bits(text), "data": "\(Array(data))",
            "date": bits(date), "decimal": "\(decimal.description)", "uuid": "\(uuid)",
            "objectId": "\(objectId)", "mood": "\(mood)", "boolOpt": "\(boolOpt as Any)",
            "intOpt": "\(intOpt as Any)", "doubleOpt": "\(doubleOpt.map { bits($0) } as Any)",
            "textOpt": "\(textOpt.map { bits($0) } as Any)",
            "dataOpt": "\(dataOpt.map { Array($0) } as Any)",
            "dateOpt": "\(dateOpt.map { bits($0) } as Any)",
            "decimalOpt": "\(decimalOpt.map { $0.description } as Any)",
            "uuidOpt": "\(uuidOpt as Any)",
            "objectIdOpt": "\(objectIdOpt as Any)", "moodOpt": "\(moodOpt as Any)",
            "texts": "\(texts.map { $0.map { bits($0) } })",
            "doubles": "\(Set(doubles.map { bits($0) }).sorted())",
            "dates": "\(dates.map { [bits($0.key), "\($0.value.map { bits($0) } as Any)"] })",
            "decimals": "\(decimals.map { $0.description })", "other": "\(other?.tag as Any)",
            "keyed": "\(keyed?.name as Any)", "others": "\(others.map(\.tag))",
            "keyedSet": "\(Set(keyedSet.map { "\($0.name as Any)" }).sorted())",
            "named": "\(named.map { [bits($0.key), "\($0.value?.tag as Any)"] })",
            "part": "\(part?.plain as Any)", "parts": "\(parts.map(\.plain))",
            "any": any.told, "anyList": "\(anyList.map(\.told))",
            "anySet": "\(Set(anySet.map(\.told)).sorted())",
            "anyMap": "\(anyMap.map { [bits($0.key), $0.value.told] })",
            "partsByName": "\(partsByName.map { [bits($0.key), "\($0.value?.plain as Any)"] })",
        ]
    }
}

extension JSONPart {
    var plain: String {
        let boltTexts = bolts.map { "\(bits($0.size)) \($0.keyed?.name as Any)" }
        return "\(bits(label)) \(thing?.tag as Any) \(boltTexts) \(sizes.map(\.bitPattern))"
    }
}

extension JSONKeyed {
    var plain: [String: String] {
        [
            "name": "\(name as Any)", "friend": "\(friend.map { $0.name as Any } as Any)",
            "thing": "\(thing?.tag as Any)", "small": "\(small)",
        ]
    }
}

extension AnyRealmValue {
    var told: String {
        switch self {
        case .none: "none"
        case .double(let x): "double \(bits(x))"
        case .date(let x): "date \(bits(x))"
        case .string(let x): "string \(bits(x))"
        case .data(let x): "data \(Array(x))"
        case .list(let list): "\(list.map(\.told))"
        case .dictionary(let map): "dictionary \(map.map { [bits($0.key), $0.value.told] })"
        case .object(let object):
            switch object {
            case let thing as JSONThing: "thing \(thing.tag)"
            case let keyed as JSONKeyed: "keyed \(keyed.name as Any)"
            default: "unknown"
            }
        default: "\(self)"
        }
    }
}
