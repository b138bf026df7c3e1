import FoundationEssentials
import Regnum
import RegnumTestSupport

@testable import RegnumTestModels

/// A property type of the differential test, convertible from and to plain values.
protocol WorldValue: ScalarValue {
    static func make(_ value: PlainValue) -> Self
}

extension Int: WorldValue {
    static func make(_ value: PlainValue) -> Int { value.int ?? 0 }
}

extension Int8: WorldValue {
    static func make(_ value: PlainValue) -> Int8 { Int8(value.int ?? 0) }
}

extension Int16: WorldValue {
    static func make(_ value: PlainValue) -> Int16 { Int16(value.int ?? 0) }
}

extension Int32: WorldValue {
    static func make(_ value: PlainValue) -> Int32 { Int32(value.int ?? 0) }
}

extension Int64: WorldValue {
    static func make(_ value: PlainValue) -> Int64 { Int64(value.int ?? 0) }
}

extension Bool: WorldValue {
    static func make(_ value: PlainValue) -> Bool {
        if case .bool(let flag) = value { flag } else { false }
    }
}

extension Double: WorldValue {
    static func make(_ value: PlainValue) -> Double { value.double ?? 0 }
}

extension Float: WorldValue {
    static func make(_ value: PlainValue) -> Float { Float(value.double ?? 0) }
}

extension Decimal128: WorldValue {
    static func make(_ value: PlainValue) -> Decimal128 { Decimal128(value.double ?? 0) }
}

extension String: WorldValue {
    static func make(_ value: PlainValue) -> String { value.text ?? "" }
}

extension Data: WorldValue {
    static func make(_ value: PlainValue) -> Data { Data(value.bytes) }
}

extension Date: WorldValue {
    static func make(_ value: PlainValue) -> Date {
        guard case .date(let seconds) = value else {
            return Date(timeIntervalSinceReferenceDate: 0)
        }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }
}

extension UUID: WorldValue {
    static func make(_ value: PlainValue) -> UUID {
        let b = value.bytes.first ?? 0
        return UUID(uuid: (b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b))
    }
}

extension ObjectId: WorldValue {
    static func make(_ value: PlainValue) -> ObjectId {
        let digits = [
            "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "f",
        ]
        let text = value.bytes.map { digits[Int($0 >> 4)] + digits[Int($0 & 15)] }.joined()
        return (try? ObjectId(string: text)) ?? ObjectId.generate()
    }
}

extension WorldLevel: WorldValue {
    static func make(_ value: PlainValue) -> WorldLevel {
        WorldLevel(rawValue: value.int ?? 0) ?? .mid
    }
}

extension WorldKind: WorldValue {
    static func make(_ value: PlainValue) -> WorldKind {
        WorldKind(rawValue: value.text ?? "") ?? .a
    }
}

extension Optional: WorldValue where Wrapped: WorldValue & RequiredValue {
    static func make(_ value: PlainValue) -> Wrapped? {
        value.isNull ? nil : Wrapped.make(value)
    }
}

extension PlainValue {
    fileprivate var bytes: [UInt8] {
        if case .bytes(let bytes) = self { bytes } else { [] }
    }
}

/// Stores the plain properties of a node.
extension WorldNode {
    /// - Parameter find: Returns the object of a link in a value of any type.
    func set(
        _ property: PlainProperty, _ value: PlainValue, _ find: (Int) -> WorldNode? = { _ in nil }
    ) {
        switch property {
        case .int: (int, intX) = (.make(value), .make(value))
        case .int2: int2 = .make(value)
        case .optInt: (optInt, optIntX) = (.make(value), .make(value))
        case .optInt2: optInt2 = .make(value)
        case .tiny: (tiny, tinyX) = (.make(value), .make(value))
        case .optMedium: (optMedium, optMediumX) = (.make(value), .make(value))
        case .long: long = .make(value)
        case .bool: (bool, boolX) = (.make(value), .make(value))
        case .optBool: (optBool, optBoolX) = (.make(value), .make(value))
        case .double: double = .make(value)
        case .double2: double2 = .make(value)
        case .optDouble: optDouble = .make(value)
        case .optDouble2: optDouble2 = .make(value)
        case .float: float = .make(value)
        case .optFloat: optFloat = .make(value)
        // Equal to the value with which it is compared, but in another representation.
        case .decimal: decimal = Decimal128.make(value) * "1.00"
        case .optDecimal: optDecimal = Decimal128?.make(value).map { $0 * "1.0" }
        case .string: (string, stringX) = (.make(value), .make(value))
        case .string2: string2 = .make(value)
        case .optString: (optString, optStringX) = (.make(value), .make(value))
        case .optString2: optString2 = .make(value)
        case .data: data = .make(value)
        case .optData: optData = .make(value)
        case .date: (date, dateX) = (.make(value), .make(value))
        case .optDate: (optDate, optDateX) = (.make(value), .make(value))
        case .uuid: (uuid, uuidX) = (.make(value), .make(value))
        case .optUuid: (optUuid, optUuidX) = (.make(value), .make(value))
        case .oid: (oid, oidX) = (.make(value), .make(value))
        case .optOid: (optOid, optOidX) = (.make(value), .make(value))
        case .level: (level, levelX) = (.make(value), .make(value))
        case .optLevel: (optLevel, optLevelX) = (.make(value), .make(value))
        case .kind: (kind, kindX) = (.make(value), .make(value))
        case .optKind: (optKind, optKindX) = (.make(value), .make(value))
        case .any: (any, anyX) = (.make(value, find), .make(value, find))
        case .words: words = .make(value)
        case .partInt, .partText, .intEntry, .textEntry, .anyEntry: break
        }
    }

    func set(_ list: PlainList, _ elements: PlainElements) {
        let values = elements.values
        switch list {
        case .ints: replace(ints, values)
        case .optDoubles: replace(optDoubles, values)
        case .strings: replace(strings, values)
        case .kinds: replace(kinds, values)
        case .anys: replace(anys, values)
        case .intSet: replace(intSet, values)
        case .textSet: replace(textSet, values)
        case .anySet: replace(anySet, values)
        case .intMap: replace(intMap, elements)
        case .textMap: replace(textMap, elements)
        case .anyMap: replace(anyMap, elements)
        }
    }

    private func replace<Value: WorldValue>(_ set: MutableSet<Value>, _ values: [PlainValue]) {
        set.removeAll()
        for value in values { set.insert(.make(value)) }
    }

    private func replace<Value: WorldValue>(_ map: Map<String, Value>, _ elements: PlainElements) {
        map.removeAll()
        for (key, value) in zip(elements.keys, elements.values) { map[key] = Value.make(value) }
    }

    private func replace<Value: WorldValue>(_ list: List<Value>, _ values: [PlainValue]) {
        list.removeAll()
        list.append(objectsIn: values.map { Value.make($0) })
    }
}

extension PlainWorld {
    /// Stores the content in an empty realm.
    func store(_ tx: Transaction) throws {
        var made: [Int: WorldNode] = [:]
        for id in nodes {
            let node = WorldNode()
            node.id = id
            for property in PlainProperty.ofNodes { node.set(property, value(property, id)) }
            try tx.add(node)
            made[id] = node
        }
        func part(_ number: Int) -> WorldPart {
            let part = WorldPart()
            part.partInt = .make(value(.partInt, number))
            part.partText = .make(value(.partText, number))
            part.target = targets(number, .target).first.flatMap { made[$0] }
            part.type = object(number)?.point.type ?? ""
            part.coordinates.append(objectsIn: object(number)?.point.coordinates ?? [])
            return part
        }
        for id in nodes {
            guard let node = made[id], let plain = object(id) else { continue }
            if case .any(.node) = plain[.any] { node.set(.any, plain[.any]) { made[$0] } }
            node.next = plain.next.flatMap { made[$0] }
            node.part = plain.part.map { part($0) }
            node.nodes.append(objectsIn: plain.nodes.compactMap { made[$0] })
            node.parts.append(objectsIn: plain.parts.map { part($0) })
            for list in PlainList.allCases { node.set(list, plain[list]) }
        }
    }
}
