import FoundationEssentials
import Regnum
import RegnumTestSupport

@testable import RegnumTestModels

// The classes of the differential test. Properties that end with X are indexed, and always have the
// same value as those without.

enum WorldLevel: Int, PersistableEnum {
    case low = -1
    case mid = 0
    case high = 7
}

enum WorldKind: String, PersistableEnum {
    case a
    case b = "B"
    case c = "\u{e9}"
}

final class WorldPart: EmbeddedObject {
    @Persisted var partInt: Int16
    @Persisted var partText: String?
    @Persisted var target: WorldNode?
    /// A point.
    @Persisted var type: String
    @Persisted(geoIndexed: true) var coordinates: List<Double>
}

final class WorldNode: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var int: Int
    @Persisted(indexed: true) var intX: Int
    @Persisted var int2: Int
    @Persisted var optInt: Int?
    @Persisted(indexed: true) var optIntX: Int?
    @Persisted var optInt2: Int?
    @Persisted var tiny: Int8
    @Persisted(indexed: true) var tinyX: Int8
    @Persisted var optMedium: Int32?
    @Persisted(indexed: true) var optMediumX: Int32?
    @Persisted var long: Int64
    @Persisted var bool: Bool
    @Persisted(indexed: true) var boolX: Bool
    @Persisted var optBool: Bool?
    @Persisted(indexed: true) var optBoolX: Bool?
    @Persisted var double: Double
    @Persisted var double2: Double
    @Persisted var optDouble: Double?
    @Persisted var optDouble2: Double?
    @Persisted var float: Float
    @Persisted var optFloat: Float?
    @Persisted var decimal: Decimal128
    @Persisted var optDecimal: Decimal128?
    @Persisted var string: String
    @Persisted(indexed: true) var stringX: String
    @Persisted var string2: String
    @Persisted var optString: String?
    @Persisted(indexed: true) var optStringX: String?
    @Persisted var optString2: String?
    @Persisted var data: Data
    @Persisted var optData: Data?
    @Persisted var date: Date
    @Persisted(indexed: true) var dateX: Date
    @Persisted var optDate: Date?
    @Persisted(indexed: true) var optDateX: Date?
    @Persisted var uuid: UUID
    @Persisted(indexed: true) var uuidX: UUID
    @Persisted var optUuid: UUID?
    @Persisted(indexed: true) var optUuidX: UUID?
    @Persisted var oid: ObjectId
    @Persisted(indexed: true) var oidX: ObjectId
    @Persisted var optOid: ObjectId?
    @Persisted(indexed: true) var optOidX: ObjectId?
    @Persisted var level: WorldLevel
    @Persisted(indexed: true) var levelX: WorldLevel
    @Persisted var optLevel: WorldLevel?
    @Persisted(indexed: true) var optLevelX: WorldLevel?
    @Persisted var kind: WorldKind
    @Persisted(indexed: true) var kindX: WorldKind
    @Persisted var optKind: WorldKind?
    @Persisted(indexed: true) var optKindX: WorldKind?

    @Persisted var any: AnyRealmValue
    @Persisted(indexed: true) var anyX: AnyRealmValue
    @Persisted(fullTextIndexed: true) var words: String?

    @Persisted var next: WorldNode?
    @Persisted var part: WorldPart?
    @Persisted var nodes: List<WorldNode>
    @Persisted var parts: List<WorldPart>
    @Persisted var ints: List<Int>
    @Persisted var optDoubles: List<Double?>
    @Persisted var strings: List<String>
    @Persisted var kinds: List<WorldKind?>
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var intSet: MutableSet<Int>
    @Persisted var textSet: MutableSet<String?>
    @Persisted var anySet: MutableSet<AnyRealmValue>
    @Persisted var intMap: Map<String, Int?>
    @Persisted var textMap: Map<String, String?>
    @Persisted var anyMap: Map<String, AnyRealmValue>
    @Persisted(originProperty: "next") var fans: LinkingObjects<WorldNode>
    @Persisted(originProperty: "nodes") var holders: LinkingObjects<WorldNode>
}
