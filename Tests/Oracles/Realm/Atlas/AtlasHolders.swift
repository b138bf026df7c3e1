import FoundationEssentials
import Regnum
import RegnumSimulation
import RegnumTestSupport

// One class for each value type, with a property for each container of the type and of its
// optional. If a type can be indexed, its class has an indexed property.

final class AtlasBoolHolder: Object, AtlasHolder {
    static let slots: [AtlasSlot<AtlasBoolHolder>] = holderSlots(.bool)
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var one: Bool
    @Persisted(indexed: true) var maybe: Bool?
    @Persisted var list: List<Bool>
    @Persisted var maybeList: List<Bool?>
    @Persisted var set: MutableSet<Bool>
    @Persisted var maybeSet: MutableSet<Bool?>
    @Persisted var map: Map<String, Bool>
    @Persisted var maybeMap: Map<String, Bool?>
}

final class AtlasIntHolder: Object, AtlasHolder {
    static let slots: [AtlasSlot<AtlasIntHolder>] = holderSlots(.int)
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var one: Int
    @Persisted(indexed: true) var maybe: Int?
    @Persisted var list: List<Int>
    @Persisted var maybeList: List<Int?>
    @Persisted var set: MutableSet<Int>
    @Persisted var maybeSet: MutableSet<Int?>
    @Persisted var map: Map<String, Int>
    @Persisted var maybeMap: Map<String, Int?>
}

final class AtlasInt8Holder: Object, AtlasHolder {
    static let slots: [AtlasSlot<AtlasInt8Holder>] = holderSlots(.int8)
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var one: Int8
    @Persisted(indexed: true) var maybe: Int8?
    @Persisted var list: List<Int8>
    @Persisted var maybeList: List<Int8?>
    @Persisted var set: MutableSet<Int8>
    @Persisted var maybeSet: MutableSet<Int8?>
    @Persisted var map: Map<String, Int8>
    @Persisted var maybeMap: Map<String, Int8?>
}

final class AtlasInt16Holder: Object, AtlasHolder {
    static let slots: [AtlasSlot<AtlasInt16Holder>] = holderSlots(.int16)
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var one: Int16
    @Persisted(indexed: true) var maybe: Int16?
    @Persisted var list: List<Int16>
    @Persisted var maybeList: List<Int16?>
    @Persisted var set: MutableSet<Int16>
    @Persisted var maybeSet: MutableSet<Int16?>
    @Persisted var map: Map<String, Int16>
    @Persisted var maybeMap: Map<String, Int16?>
}

final class AtlasInt32Holder: Object, AtlasHolder {
    static let slots: [AtlasSlot<AtlasInt32Holder>] = holderSlots(.int32)
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var one: Int32
    @Persisted(indexed: true) var maybe: Int32?
    @Persisted var list: List<Int32>
    @Persisted var maybeList: List<Int32?>
    @Persisted var set: MutableSet<Int32>
    @Persisted var maybeSet: MutableSet<Int32?>
    @Persisted var map: Map<String, Int32>
    @Persisted var maybeMap: Map<String, Int32?>
}

final class AtlasInt64Holder: Object, AtlasHolder {
    static let slots: [AtlasSlot<AtlasInt64Holder>] = holderSlots(.int64)
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var one: Int64
    @Persisted(indexed: true) var maybe: Int64?
    @Persisted var list: List<Int64>
    @Persisted var maybeList: List<Int64?>
    @Persisted var set: MutableSet<Int64>
    @Persisted var maybeSet: MutableSet<Int64?>
    @Persisted var map: Map<String, Int64>
    @Persisted var maybeMap: Map<String, Int64?>
}

final class AtlasFloatHolder: Object, AtlasHolder {
    static let slots: [AtlasSlot<AtlasFloatHolder>] = holderSlots(.float)
    @Persisted(primaryKey: true) var number: Int
    @Persisted var one: Float
    @Persisted var maybe: Float?
    @Persisted var list: List<Float>
    @Persisted var maybeList: List<Float?>
    @Persisted var set: MutableSet<Float>
    @Persisted var maybeSet: MutableSet<Float?>
    @Persisted var map: Map<String, Float>
    @Persisted var maybeMap: Map<String, Float?>
}

final class AtlasDoubleHolder: Object, AtlasHolder {
    static let slots: [AtlasSlot<AtlasDoubleHolder>] = holderSlots(.double)
    @Persisted(primaryKey: true) var number: Int
    @Persisted var one: Double
    @Persisted var maybe: Double?
    @Persisted var list: List<Double>
    @Persisted var maybeList: List<Double?>
    @Persisted var set: MutableSet<Double>
    @Persisted var maybeSet: MutableSet<Double?>
    @Persisted var map: Map<String, Double>
    @Persisted var maybeMap: Map<String, Double?>
}

final class AtlasDecimal128Holder: Object, AtlasHolder {
    static let slots: [AtlasSlot<AtlasDecimal128Holder>] = holderSlots(.decimal)
    @Persisted(primaryKey: true) var number: Int
    @Persisted var one: Decimal128
    @Persisted var maybe: Decimal128?
    @Persisted var list: List<Decimal128>
    @Persisted var maybeList: List<Decimal128?>
    @Persisted var set: MutableSet<Decimal128>
    @Persisted var maybeSet: MutableSet<Decimal128?>
    @Persisted var map: Map<String, Decimal128>
    @Persisted var maybeMap: Map<String, Decimal128?>
}

final class AtlasStringHolder: Object, AtlasHolder {
    static let slots: [AtlasSlot<AtlasStringHolder>] = holderSlots(.text)
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var one: String
    @Persisted(indexed: true) var maybe: String?
    @Persisted var list: List<String>
    @Persisted var maybeList: List<String?>
    @Persisted var set: MutableSet<String>
    @Persisted var maybeSet: MutableSet<String?>
    @Persisted var map: Map<String, String>
    @Persisted var maybeMap: Map<String, String?>
}

final class AtlasDataHolder: Object, AtlasHolder {
    static let slots: [AtlasSlot<AtlasDataHolder>] = holderSlots(.data)
    @Persisted(primaryKey: true) var number: Int
    @Persisted var one: Data
    @Persisted var maybe: Data?
    @Persisted var list: List<Data>
    @Persisted var maybeList: List<Data?>
    @Persisted var set: MutableSet<Data>
    @Persisted var maybeSet: MutableSet<Data?>
    @Persisted var map: Map<String, Data>
    @Persisted var maybeMap: Map<String, Data?>
}

final class AtlasDateHolder: Object, AtlasHolder {
    static let slots: [AtlasSlot<AtlasDateHolder>] = holderSlots(.date)
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var one: Date
    @Persisted(indexed: true) var maybe: Date?
    @Persisted var list: List<Date>
    @Persisted var maybeList: List<Date?>
    @Persisted var set: MutableSet<Date>
    @Persisted var maybeSet: MutableSet<Date?>
    @Persisted var map: Map<String, Date>
    @Persisted var maybeMap: Map<String, Date?>
}

final class AtlasUUIDHolder: Object, AtlasHolder {
    static let slots: [AtlasSlot<AtlasUUIDHolder>] = holderSlots(.uuid)
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var one: UUID
    @Persisted(indexed: true) var maybe: UUID?
    @Persisted var list: List<UUID>
    @Persisted var maybeList: List<UUID?>
    @Persisted var set: MutableSet<UUID>
    @Persisted var maybeSet: MutableSet<UUID?>
    @Persisted var map: Map<String, UUID>
    @Persisted var maybeMap: Map<String, UUID?>
}

final class AtlasObjectIdHolder: Object, AtlasHolder {
    static let slots: [AtlasSlot<AtlasObjectIdHolder>] = holderSlots(.objectId)
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var one: ObjectId
    @Persisted(indexed: true) var maybe: ObjectId?
    @Persisted var list: List<ObjectId>
    @Persisted var maybeList: List<ObjectId?>
    @Persisted var set: MutableSet<ObjectId>
    @Persisted var maybeSet: MutableSet<ObjectId?>
    @Persisted var map: Map<String, ObjectId>
    @Persisted var maybeMap: Map<String, ObjectId?>
}

final class AtlasLevelHolder: Object, AtlasHolder {
    static let slots: [AtlasSlot<AtlasLevelHolder>] = holderSlots(.level)
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var one: AtlasLevel
    @Persisted(indexed: true) var maybe: AtlasLevel?
    @Persisted var list: List<AtlasLevel>
    @Persisted var maybeList: List<AtlasLevel?>
    @Persisted var set: MutableSet<AtlasLevel>
    @Persisted var maybeSet: MutableSet<AtlasLevel?>
    @Persisted var map: Map<String, AtlasLevel>
    @Persisted var maybeMap: Map<String, AtlasLevel?>
}

final class AtlasTinyHolder: Object, AtlasHolder {
    static let slots: [AtlasSlot<AtlasTinyHolder>] = holderSlots(.tiny)
    @Persisted(primaryKey: true) var number: Int
    @Persisted var one: AtlasTiny
    @Persisted var maybe: AtlasTiny?
    @Persisted var list: List<AtlasTiny>
    @Persisted var maybeList: List<AtlasTiny?>
    @Persisted var set: MutableSet<AtlasTiny>
    @Persisted var maybeSet: MutableSet<AtlasTiny?>
    @Persisted var map: Map<String, AtlasTiny>
    @Persisted var maybeMap: Map<String, AtlasTiny?>
}

final class AtlasWordHolder: Object, AtlasHolder {
    static let slots: [AtlasSlot<AtlasWordHolder>] = holderSlots(.word)
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var one: AtlasWord
    @Persisted(indexed: true) var maybe: AtlasWord?
    @Persisted var list: List<AtlasWord>
    @Persisted var maybeList: List<AtlasWord?>
    @Persisted var set: MutableSet<AtlasWord>
    @Persisted var maybeSet: MutableSet<AtlasWord?>
    @Persisted var map: Map<String, AtlasWord>
    @Persisted var maybeMap: Map<String, AtlasWord?>
}

final class AtlasShareHolder: Object, AtlasHolder {
    static let slots: [AtlasSlot<AtlasShareHolder>] = holderSlots(.share)
    @Persisted(primaryKey: true) var number: Int
    @Persisted var one: AtlasShare
    @Persisted var maybe: AtlasShare?
    @Persisted var list: List<AtlasShare>
    @Persisted var maybeList: List<AtlasShare?>
    @Persisted var set: MutableSet<AtlasShare>
    @Persisted var maybeSet: MutableSet<AtlasShare?>
    @Persisted var map: Map<String, AtlasShare>
    @Persisted var maybeMap: Map<String, AtlasShare?>
}

final class AtlasCelsiusHolder: Object, AtlasHolder {
    static let slots: [AtlasSlot<AtlasCelsiusHolder>] = holderSlots(.celsius)
    @Persisted(primaryKey: true) var number: Int
    @Persisted var one: AtlasCelsius
    @Persisted var maybe: AtlasCelsius?
    @Persisted var list: List<AtlasCelsius>
    @Persisted var maybeList: List<AtlasCelsius?>
    @Persisted var set: MutableSet<AtlasCelsius>
    @Persisted var maybeSet: MutableSet<AtlasCelsius?>
    @Persisted var map: Map<String, AtlasCelsius>
    @Persisted var maybeMap: Map<String, AtlasCelsius?>
}

final class AtlasSerialHolder: Object, AtlasHolder {
    static let slots: [AtlasSlot<AtlasSerialHolder>] = holderSlots(.serial)
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var one: AtlasSerial
    @Persisted(indexed: true) var maybe: AtlasSerial?
    @Persisted var list: List<AtlasSerial>
    @Persisted var maybeList: List<AtlasSerial?>
    @Persisted var set: MutableSet<AtlasSerial>
    @Persisted var maybeSet: MutableSet<AtlasSerial?>
    @Persisted var map: Map<String, AtlasSerial>
    @Persisted var maybeMap: Map<String, AtlasSerial?>
}

/// Values of any type, which are never optional; they can link to nodes and to objects of this
/// class.
final class AtlasAnyHolder: Object, AtlasModel {
    static let slots: [AtlasSlot<AtlasAnyHolder>] = [
        .any("one", \.one), .any("indexed", \.indexed), .anyList("list", \.list),
        .anySet("set", \.set), .anyMap("map", \.map),
    ]
    @Persisted(primaryKey: true) var number: Int
    @Persisted var one: AnyRealmValue
    @Persisted(indexed: true) var indexed: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var set: MutableSet<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
}
