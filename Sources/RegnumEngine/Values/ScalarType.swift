/// The type of a column's values as programs see it. Several of these types can be stored as the
/// same `ValueType`. The raw values are the names in JSON.
package enum ScalarType: String, Sendable, CaseIterable {
    case bool
    case int
    /// Single precision, stored as doubles.
    case float
    case double
    case string
    case data
    case date
    case uuid
    case objectId
    case decimal
    case any

    /// The type of columns that have no other meaning than their stored type.
    package init(_ type: ValueType) {
        self =
            switch type {
            case .bool: .bool
            case .int: .int
            case .double: .double
            case .string: .string
            case .data: .data
            case .date: .date
            case .uuid: .uuid
            case .objectId: .objectId
            case .decimal: .decimal
            case .any: .any
            }
    }

    /// The type that the values are stored as.
    package var valueType: ValueType {
        switch self {
        case .bool: .bool
        case .int: .int
        case .float, .double: .double
        case .string: .string
        case .data: .data
        case .date: .date
        case .uuid: .uuid
        case .objectId: .objectId
        case .decimal: .decimal
        case .any: .any
        }
    }

    /// The flag of columns of this type in the file format; 0 for types that the stored type
    /// determines.
    var columnFlag: UInt8 { self == .float ? 8 : 0 }
}
