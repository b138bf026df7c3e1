// The models of "Supported Types - Swift SDK": 000_08f292a56c92ccee.txt in English,
// 001_b6dd99c56796c79e.txt in Spanish; `Location` is also in "Type Projection - Swift SDK",
// 002_60388ab18d3d491d.txt. What is printed there stands here as it is printed.

import Foundation
public import Regnum

@testable import RegnumTestModels

// 000, 001: CustomGeoPoint.
class CustomGeoPoint: EmbeddedObject {
    @Persisted private var type: String = "Point"
    @Persisted private var coordinates: List<Double>

    public var latitude: Double { return coordinates[1] }
    public var longitude: Double { return coordinates[0] }

    convenience init(_ latitude: Double, _ longitude: Double) {
        self.init()
        // Longitude comes first in the coordinates array of a GeoJson document
        coordinates.append(objectsIn: [longitude, latitude])
    }
}

// 000, 001, 002: Location.
public class Location: EmbeddedObject {
    @Persisted var latitude: Double
    @Persisted var longitude: Double
}

// The cheat sheet of 000 and 001 names these three types and prints none of them.
class MyCustomObjectType: Object {
    @Persisted var name: String
}

class MyEmbeddedObjectType: EmbeddedObject {
    @Persisted var name: String
}

enum MyPersistableEnum: String, PersistableEnum {
    case first, second, third
}

// 000, 001: the rows of the cheat sheet.
class CheatSheet: Object {
    @Persisted var boolName: Bool
    @Persisted var optBoolName: Bool?
    @Persisted var intName: Int
    @Persisted var optIntName: Int?
    @Persisted var floatName: Float
    @Persisted var optFloatName: Float?
    @Persisted var doubleName: Double
    @Persisted var optDoubleName: Double?
    @Persisted var stringName: String
    @Persisted var optStringName: String?
    @Persisted var dataName: Data
    @Persisted var optDataName: Data?
    @Persisted var dateName: Date
    @Persisted var optDateName: Date?
    @Persisted var decimalName: Decimal128
    @Persisted var optDecimalName: Decimal128?
    @Persisted var uuidName: UUID
    @Persisted var optUuidName: UUID?
    @Persisted var objectIdName: ObjectId
    @Persisted var optObjectIdName: ObjectId?
    @Persisted var listName: List<MyCustomObjectType>
    @Persisted var mapName: Map<String, String>
    @Persisted var mutableSetName: MutableSet<String>
    @Persisted var anyRealmValueName: AnyRealmValue
    @Persisted var optObjectPropertyName: MyCustomObjectType?
    @Persisted var optEmbeddedObjectPropertyName: MyEmbeddedObjectType?
    @Persisted var enumName: MyPersistableEnum
    @Persisted var optEnumName: MyPersistableEnum?
}

/// The row "Int, Int8, Int16, Int32, Int64" names five types and prints the declaration of one.
class IntegerSheet: Object {
    @Persisted var int8Name: Int8
    @Persisted var optInt8Name: Int8?
    @Persisted var int16Name: Int16
    @Persisted var optInt16Name: Int16?
    @Persisted var int32Name: Int32
    @Persisted var optInt32Name: Int32?
    @Persisted var int64Name: Int64
    @Persisted var optInt64Name: Int64?
}

// 000, 001: the notes on defaults, first forms.
class DefaultsMadeWhenNeeded: Object {
    @Persisted var listProperty: List<Int>
    @Persisted var value: UUID
    @Persisted var id: ObjectId
}

// 000, 001: the notes on defaults, second forms.
class DefaultsGiven: Object {
    @Persisted var listProperty = List<Int>()
    @Persisted var value = UUID()
    @Persisted var _id = ObjectId()
}

// 000, 001: the two fields that the text on geospatial data asks for.
class PublicGeoPoint: EmbeddedObject {
    @Persisted var type: String = "Point"
    @Persisted private var coordinates: List<Double>
}
