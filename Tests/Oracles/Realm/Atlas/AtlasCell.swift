import FoundationEssentials
import Regnum
import RegnumSimulation
import RegnumTestSupport

/// A value type that the test stores, convertible from and to the oracle's values.
protocol AtlasCell: ScalarValue, RealmCollectionValue, MapValue, Sendable {
    static func make(_ value: AtlasValue) -> Self
    var plain: AtlasValue { get }
}

extension Optional: AtlasCell where Wrapped: AtlasCell & RequiredValue {
    static func make(_ value: AtlasValue) -> Wrapped? {
        value == .null ? nil : .some(Wrapped.make(value))
    }

    var plain: AtlasValue { map(\.plain) ?? .null }
}

extension AtlasValue {
    fileprivate func misfit(_ type: Any.Type) -> Never { fatalError("\(self) is not a \(type).") }
}

/// The integers, of all widths.
protocol AtlasInteger: AtlasCell, FixedWidthInteger {}

extension AtlasInteger {
    static func make(_ value: AtlasValue) -> Self {
        guard case .int(let number) = value else { value.misfit(Self.self) }
        return Self(number)
    }
    var plain: AtlasValue { .int(Int(self)) }
}

extension Int: AtlasInteger {}
extension Int8: AtlasInteger {}
extension Int16: AtlasInteger {}
extension Int32: AtlasInteger {}
extension Int64: AtlasInteger {}

extension Bool: AtlasCell {
    static func make(_ value: AtlasValue) -> Bool {
        guard case .bool(let flag) = value else { value.misfit(Self.self) }
        return flag
    }
    var plain: AtlasValue { .bool(self) }
}

extension Float: AtlasCell {
    static func make(_ value: AtlasValue) -> Float {
        guard case .float(let bits) = value else { value.misfit(Self.self) }
        return Float(bitPattern: bits)
    }
    var plain: AtlasValue { .float(bitPattern) }
}

extension Double: AtlasCell {
    static func make(_ value: AtlasValue) -> Double {
        guard case .double(let bits) = value else { value.misfit(Self.self) }
        return Double(bitPattern: bits)
    }
    var plain: AtlasValue { .double(bitPattern) }
}

extension Decimal128: AtlasCell {
    static func make(_ value: AtlasValue) -> Decimal128 {
        guard case .decimal(let text) = value, let decimal = Decimal128(text) else {
            value.misfit(Self.self)
        }
        return decimal
    }
    var plain: AtlasValue { .decimal("\(self)") }
}

extension String: AtlasCell {
    static func make(_ value: AtlasValue) -> String {
        guard case .text(let text) = value else { value.misfit(Self.self) }
        return text.text
    }
    var plain: AtlasValue { .text(AtlasBytes(self)) }
}

extension Data: AtlasCell {
    static func make(_ value: AtlasValue) -> Data {
        guard case .bytes(let bytes) = value else { value.misfit(Self.self) }
        return Data(bytes.bytes)
    }
    var plain: AtlasValue { .bytes(AtlasBytes(Array(self))) }
}

extension Date: AtlasCell {
    static func make(_ value: AtlasValue) -> Date {
        guard case .date(let bits) = value else { value.misfit(Self.self) }
        return Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
    }
    var plain: AtlasValue { .date(timeIntervalSinceReferenceDate.bitPattern) }
}

extension UUID: AtlasCell {
    static func make(_ value: AtlasValue) -> UUID {
        guard case .uuid(let bytes) = value else {
            value.misfit(Self.self)
        }
        let b = bytes.bytes
        return UUID(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12],
                b[13], b[14], b[15]
            ))
    }
    var plain: AtlasValue {
        .uuid(AtlasBytes(withUnsafeBytes(of: uuid) { Array($0) }))
    }
}

extension ObjectId: AtlasCell {
    static func make(_ value: AtlasValue) -> ObjectId {
        guard case .objectId(let bytes) = value,
            let id = try? ObjectId(string: bytes.bytes.map(Self.digits).joined())
        else { value.misfit(Self.self) }
        return id
    }

    private static func digits(_ byte: UInt8) -> String {
        let digits = Array("0123456789abcdef")
        return String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
    }

    var plain: AtlasValue {
        let digits = Array("\(self)".utf8)
        func value(_ digit: UInt8) -> UInt8 { digit < 58 ? digit - 48 : digit - 87 }
        return .objectId(
            AtlasBytes(
                stride(from: 0, to: digits.count, by: 2).map {
                    value(digits[$0]) << 4 | value(digits[$0 + 1])
                }))
    }
}

// MARK: Enums

enum AtlasLevel: Int, PersistableEnum {
    case low = -1
    case mid = 0
    case high = 7
}
enum AtlasTiny: Int8, PersistableEnum {
    case least = -128
    case none = 0
    case some = 5
}
enum AtlasWord: String, PersistableEnum {
    case a
    case b = "B"
    case accented = "\u{e9}"
}
enum AtlasShare: Double, PersistableEnum {
    case half = 0.5
    case debt = -2
    case nothing = 0
}

/// An enum, which the oracle represents by its raw value.
protocol AtlasEnum: AtlasCell, PersistableEnum where RawValue: AtlasCell {}

extension AtlasEnum {
    static func make(_ value: AtlasValue) -> Self {
        guard let made = Self(rawValue: RawValue.make(value)) else { value.misfit(Self.self) }
        return made
    }
    var plain: AtlasValue { rawValue.plain }
}

extension AtlasLevel: AtlasEnum {}
extension AtlasTiny: AtlasEnum {}
extension AtlasWord: AtlasEnum {}
extension AtlasShare: AtlasEnum {}

// MARK: Projected types

/// Stored as a double.
struct AtlasCelsius: CustomPersistable, AtlasCell {
    let degrees: Double

    init(persistedValue: Double) { degrees = persistedValue }
    var persistableValue: Double { degrees }

    static func make(_ value: AtlasValue) -> AtlasCelsius {
        AtlasCelsius(persistedValue: Double.make(value))
    }
    var plain: AtlasValue { degrees.plain }
}

/// Stored as an integer; not every integer is valid.
struct AtlasSerial: FailableCustomPersistable, AtlasCell {
    let number: Int

    init?(persistedValue: Int) {
        guard persistedValue % 7 == 0 else { return nil }
        number = persistedValue
    }
    var persistableValue: Int { number }

    static func make(_ value: AtlasValue) -> AtlasSerial {
        guard let made = AtlasSerial(persistedValue: Int.make(value)) else {
            value.misfit(Self.self)
        }
        return made
    }
    var plain: AtlasValue { number.plain }
}

/// Stored as an embedded object.
struct AtlasSpot: CustomPersistable, AtlasCell {
    let x: Int
    let y: Int

    init(_ x: Int, _ y: Int) { (self.x, self.y) = (x, y) }
    init(persistedValue: AtlasPoint) { (x, y) = (persistedValue.x, persistedValue.y) }
    var persistableValue: AtlasPoint { AtlasPoint(value: [x, y]) }

    static func make(_ value: AtlasValue) -> AtlasSpot {
        guard case .spot(let x, let y) = value else { value.misfit(Self.self) }
        return AtlasSpot(x, y)
    }
    var plain: AtlasValue { .spot(x, y) }
}

final class AtlasPoint: EmbeddedObject {
    @Persisted var x: Int
    @Persisted var y: Int
}

/// Stored as an embedded object that itself has a projected property.
struct AtlasSign: CustomPersistable, AtlasCell {
    let text: String
    let spot: AtlasSpot?

    init(_ text: String, _ spot: AtlasSpot?) { (self.text, self.spot) = (text, spot) }
    init(persistedValue: AtlasBoard) { (text, spot) = (persistedValue.text, persistedValue.spot) }
    var persistableValue: AtlasBoard {
        let board = AtlasBoard()
        (board.text, board.spot) = (text, spot)
        return board
    }

    static func make(_ value: AtlasValue) -> AtlasSign {
        guard case .sign(let text, let spot) = value else { value.misfit(Self.self) }
        return AtlasSign(text.text, AtlasSpot?.make(spot))
    }
    var plain: AtlasValue { .sign(AtlasBytes(text), spot.plain) }
}

final class AtlasBoard: EmbeddedObject {
    @Persisted var text: String
    @Persisted var spot: AtlasSpot?
}
