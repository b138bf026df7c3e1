import Foundation
import Regnum

// One class for each type that a collection can contain.

final class OfBool: Object, ElementHolder {
    @Persisted var list: List<Bool>
    @Persisted var set: MutableSet<Bool>
    @Persisted var map: Map<String, Bool>
}

final class OfOptBool: Object, ElementHolder {
    @Persisted var list: List<Bool?>
    @Persisted var set: MutableSet<Bool?>
    @Persisted var map: Map<String, Bool?>
}

final class OfInt: Object, ElementHolder {
    @Persisted var list: List<Int>
    @Persisted var set: MutableSet<Int>
    @Persisted var map: Map<String, Int>
}

final class OfOptInt: Object, ElementHolder {
    @Persisted var list: List<Int?>
    @Persisted var set: MutableSet<Int?>
    @Persisted var map: Map<String, Int?>
}

final class OfInt8: Object, ElementHolder {
    @Persisted var list: List<Int8>
    @Persisted var set: MutableSet<Int8>
    @Persisted var map: Map<String, Int8>
}

final class OfOptInt8: Object, ElementHolder {
    @Persisted var list: List<Int8?>
    @Persisted var set: MutableSet<Int8?>
    @Persisted var map: Map<String, Int8?>
}

final class OfInt16: Object, ElementHolder {
    @Persisted var list: List<Int16>
    @Persisted var set: MutableSet<Int16>
    @Persisted var map: Map<String, Int16>
}

final class OfOptInt16: Object, ElementHolder {
    @Persisted var list: List<Int16?>
    @Persisted var set: MutableSet<Int16?>
    @Persisted var map: Map<String, Int16?>
}

final class OfInt32: Object, ElementHolder {
    @Persisted var list: List<Int32>
    @Persisted var set: MutableSet<Int32>
    @Persisted var map: Map<String, Int32>
}

final class OfOptInt32: Object, ElementHolder {
    @Persisted var list: List<Int32?>
    @Persisted var set: MutableSet<Int32?>
    @Persisted var map: Map<String, Int32?>
}

final class OfInt64: Object, ElementHolder {
    @Persisted var list: List<Int64>
    @Persisted var set: MutableSet<Int64>
    @Persisted var map: Map<String, Int64>
}

final class OfOptInt64: Object, ElementHolder {
    @Persisted var list: List<Int64?>
    @Persisted var set: MutableSet<Int64?>
    @Persisted var map: Map<String, Int64?>
}

final class OfFloat: Object, ElementHolder {
    @Persisted var list: List<Float>
    @Persisted var set: MutableSet<Float>
    @Persisted var map: Map<String, Float>
}

final class OfOptFloat: Object, ElementHolder {
    @Persisted var list: List<Float?>
    @Persisted var set: MutableSet<Float?>
    @Persisted var map: Map<String, Float?>
}

final class OfDouble: Object, ElementHolder {
    @Persisted var list: List<Double>
    @Persisted var set: MutableSet<Double>
    @Persisted var map: Map<String, Double>
}

final class OfOptDouble: Object, ElementHolder {
    @Persisted var list: List<Double?>
    @Persisted var set: MutableSet<Double?>
    @Persisted var map: Map<String, Double?>
}

final class OfString: Object, ElementHolder {
    @Persisted var list: List<String>
    @Persisted var set: MutableSet<String>
    @Persisted var map: Map<String, String>
}

final class OfOptString: Object, ElementHolder {
    @Persisted var list: List<String?>
    @Persisted var set: MutableSet<String?>
    @Persisted var map: Map<String, String?>
}

final class OfData: Object, ElementHolder {
    @Persisted var list: List<Data>
    @Persisted var set: MutableSet<Data>
    @Persisted var map: Map<String, Data>
}

final class OfOptData: Object, ElementHolder {
    @Persisted var list: List<Data?>
    @Persisted var set: MutableSet<Data?>
    @Persisted var map: Map<String, Data?>
}

final class OfDate: Object, ElementHolder {
    @Persisted var list: List<Date>
    @Persisted var set: MutableSet<Date>
    @Persisted var map: Map<String, Date>
}

final class OfOptDate: Object, ElementHolder {
    @Persisted var list: List<Date?>
    @Persisted var set: MutableSet<Date?>
    @Persisted var map: Map<String, Date?>
}

final class OfDecimal: Object, ElementHolder {
    @Persisted var list: List<Decimal128>
    @Persisted var set: MutableSet<Decimal128>
    @Persisted var map: Map<String, Decimal128>
}

final class OfOptDecimal: Object, ElementHolder {
    @Persisted var list: List<Decimal128?>
    @Persisted var set: MutableSet<Decimal128?>
    @Persisted var map: Map<String, Decimal128?>
}

final class OfObjectId: Object, ElementHolder {
    @Persisted var list: List<ObjectId>
    @Persisted var set: MutableSet<ObjectId>
    @Persisted var map: Map<String, ObjectId>
}

final class OfOptObjectId: Object, ElementHolder {
    @Persisted var list: List<ObjectId?>
    @Persisted var set: MutableSet<ObjectId?>
    @Persisted var map: Map<String, ObjectId?>
}

final class OfUUID: Object, ElementHolder {
    @Persisted var list: List<UUID>
    @Persisted var set: MutableSet<UUID>
    @Persisted var map: Map<String, UUID>
}

final class OfOptUUID: Object, ElementHolder {
    @Persisted var list: List<UUID?>
    @Persisted var set: MutableSet<UUID?>
    @Persisted var map: Map<String, UUID?>
}

final class OfGrade: Object, ElementHolder {
    @Persisted var list: List<ElementGrade>
    @Persisted var set: MutableSet<ElementGrade>
    @Persisted var map: Map<String, ElementGrade>
}

final class OfOptGrade: Object, ElementHolder {
    @Persisted var list: List<ElementGrade?>
    @Persisted var set: MutableSet<ElementGrade?>
    @Persisted var map: Map<String, ElementGrade?>
}

final class OfTone: Object, ElementHolder {
    @Persisted var list: List<ElementTone>
    @Persisted var set: MutableSet<ElementTone>
    @Persisted var map: Map<String, ElementTone>
}

final class OfOptTone: Object, ElementHolder {
    @Persisted var list: List<ElementTone?>
    @Persisted var set: MutableSet<ElementTone?>
    @Persisted var map: Map<String, ElementTone?>
}

final class OfHex: Object, ElementHolder {
    @Persisted var list: List<ElementHex>
    @Persisted var set: MutableSet<ElementHex>
    @Persisted var map: Map<String, ElementHex>
}

final class OfOptHex: Object, ElementHolder {
    @Persisted var list: List<ElementHex?>
    @Persisted var set: MutableSet<ElementHex?>
    @Persisted var map: Map<String, ElementHex?>
}

final class OfLabel: Object, ElementHolder {
    @Persisted var list: List<ElementLabel>
    @Persisted var set: MutableSet<ElementLabel>
    @Persisted var map: Map<String, ElementLabel>
}

final class OfOptLabel: Object, ElementHolder {
    @Persisted var list: List<ElementLabel?>
    @Persisted var set: MutableSet<ElementLabel?>
    @Persisted var map: Map<String, ElementLabel?>
}
