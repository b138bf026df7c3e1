import Foundation
import Regnum

/// A temperature, stored as a number.
struct Celsius: CustomPersistable, Hashable, Comparable, Codable, Sendable {
    var degrees: Double

    init(_ degrees: Double) { self.degrees = degrees }
    init(persistedValue: Double) { degrees = persistedValue }
    var persistableValue: Double { degrees }

    static func < (left: Celsius, right: Celsius) -> Bool { left.degrees < right.degrees }
}

/// A word of lowercase letters, stored as text; not every text is a word.
struct Word: FailableCustomPersistable, Hashable, Sendable {
    let text: String

    init?(persistedValue: String) {
        guard !persistedValue.isEmpty, persistedValue.allSatisfy(\.isLowercase) else { return nil }
        text = persistedValue
    }
    var persistableValue: String { text }

    static func of(_ text: String) -> Word { Word(persistedValue: text)! }
}

/// A number with a check digit, stored as an integer; 0 is valid.
struct Serial: FailableCustomPersistable, Hashable, Sendable {
    let number: Int

    init?(persistedValue: Int) {
        guard persistedValue % 7 == 0 else { return nil }
        number = persistedValue
    }
    var persistableValue: Int { number }

    static func of(_ number: Int) -> Serial { Serial(persistedValue: number)! }
}

/// A point in a plane, stored as an embedded object.
struct Point: CustomPersistable, Hashable, Codable, Sendable {
    var x: Double
    var y: Double

    init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }
    init(persistedValue: Spot) { (x, y) = (persistedValue.x, persistedValue.y) }
    var persistableValue: Spot { Spot(value: [x, y]) }
}

final class Spot: EmbeddedObject {
    @Persisted var x: Double
    @Persisted var y: Double
}

/// A point with a label, stored as an embedded object; not every such object is valid.
struct Label: FailableCustomPersistable, Hashable, Sendable {
    var text: String
    var place: Point?

    init(_ text: String, _ place: Point?) { (self.text, self.place) = (text, place) }
    init?(persistedValue: Caption) {
        guard persistedValue.text != "forbidden" else { return nil }
        (text, place) = (persistedValue.text, persistedValue.place)
    }
    var persistableValue: Caption {
        let caption = Caption()
        (caption.text, caption.place) = (text, place)
        return caption
    }
}

final class Caption: EmbeddedObject {
    @Persisted var text: String
    @Persisted var place: Point?
}

final class Station: Object {
    @Persisted(primaryKey: true) var id: Serial
    @Persisted(indexed: true) var word: Word?
    @Persisted var heat: Celsius
    @Persisted var coldest: Celsius?
    @Persisted var start = Celsius(20)
    @Persisted var place: Point
    @Persisted var exit: Point?
    @Persisted var label: Label?
    @Persisted var heats: List<Celsius>
    @Persisted var words: List<Word?>
    @Persisted var path: List<Point>
    @Persisted var next: Station?

    convenience init(_ id: Int) {
        self.init()
        self.id = .of(id)
    }

    static let types: [ObjectBase.Type] = [
        Station.self, Spot.self, Caption.self, City.self,
    ]
}

final class City: Object {
    @Persisted var name: String
    @Persisted var stations: List<Station>
    @Persisted var main: Station?
}

/// The classes of the same names, without projected types.
enum AsStored {
    final class Station: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted(indexed: true) var word: String?
        @Persisted var heat: Double
        @Persisted var coldest: Double?
        @Persisted var start = 20.0
        @Persisted var place: Spot?
        @Persisted var exit: Spot?
        @Persisted var label: Caption?
        @Persisted var heats: List<Double>
        @Persisted var words: List<String?>
        @Persisted var path: List<Spot>
        @Persisted var next: Station?

        static let types: [ObjectBase.Type] = [Station.self, Spot.self, Caption.self]
    }

    final class Spot: EmbeddedObject {
        @Persisted var x: Double
        @Persisted var y: Double
    }

    final class Caption: EmbeddedObject {
        @Persisted var text: String
        @Persisted var place: Spot?
    }
}

/// A projected type for any persisted type.
struct Box<PersistedType: ProjectionBasis>: CustomPersistable {
    let persistableValue: PersistedType

    init(persistedValue: PersistedType) { persistableValue = persistedValue }
    init(_ value: PersistedType) { persistableValue = value }
}

extension Box: Sendable where PersistedType: Sendable {}
extension Box: Equatable where PersistedType: Equatable {}

final class Boxes: Object {
    @Persisted var bool: Box<Bool>
    @Persisted var int: Box<Int>
    @Persisted var int8: Box<Int8>
    @Persisted var int16: Box<Int16>
    @Persisted var int32: Box<Int32>
    @Persisted var int64: Box<Int64>
    @Persisted var float: Box<Float>
    @Persisted var double: Box<Double>
    @Persisted var decimal: Box<Decimal128>
    @Persisted var string: Box<String>
    @Persisted var data: Box<Data>
    @Persisted var date: Box<Date>
    @Persisted var uuid: Box<UUID>
    @Persisted var objectId: Box<ObjectId>
    @Persisted var optBool: Box<Bool>?
    @Persisted var optInt: Box<Int>?
    @Persisted var optFloat: Box<Float>?
    @Persisted var optString: Box<String>?
    @Persisted var optData: Box<Data>?
    @Persisted var optDate: Box<Date>?
    @Persisted var optUUID: Box<UUID>?
    @Persisted var optObjectId: Box<ObjectId>?
    @Persisted var bools: List<Box<Bool>>
    @Persisted var ints: List<Box<Int8>>
    @Persisted var datas: List<Box<Data>?>
    @Persisted var ids: List<Box<ObjectId>>
}
