internal import FoundationEssentials
package import RegnumEngine

extension ScalarType {
    /// The Swift type of the values, and their type in a `Schema`.
    private var types: (swift: any RequiredValue.Type, property: PropertyType) {
        switch self {
        case .bool: (Bool.self, .bool)
        case .int: (Int.self, .int)
        case .float: (Float.self, .float)
        case .double: (Double.self, .double)
        case .string: (String.self, .string)
        case .data: (Data.self, .data)
        case .date: (Date.self, .date)
        case .uuid: (UUID.self, .uuid)
        case .objectId: (ObjectId.self, .objectId)
        case .decimal: (Decimal128.self, .decimal128)
        case .any: (AnyRealmValue.self, .any)
        }
    }

    /// The type of the values in a `Schema`.
    var propertyType: PropertyType { types.property }

    /// The name of the Swift type of the values.
    package var swiftName: String { "\(propertyType)" }

    /// Returns a stored value of this type as a Swift value.
    fileprivate func anyValue(_ value: Value) -> Any? {
        func decoded<T: ScalarValue>(_ type: T.Type) -> Any? { type._decode(_StoredValue(value)) }
        return decoded(types.swift)
    }
}

extension Value {
    /// Returns a value of a column of the given type as a Swift value; `nil` for null, and for
    /// objects, lists and dictionaries.
    func anyValue(as type: ScalarType) -> Any? {
        switch self {
        case .null: nil
        case .any: anyContent?.plainValue
        default: type.anyValue(self)
        }
    }
}

extension AnyContent {
    /// The value as a property of its type returns it; `nil` for links, lists and dictionaries.
    var plainValue: Any? {
        if case .float(let value) = self { return value }  // keeps the bits of a NaN
        return scalar.flatMap { $0.type.anyValue($0.value) }
    }
}
