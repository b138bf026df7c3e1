internal import RegnumEngine

/// What an `Any` holds when optionals are opened: nil for nil, and for Foundation's `NSNull`.
func unwrapped(_ value: Any) -> Any? {
    var value = value
    while let optional = value as? any AnyOptional {
        guard let wrapped = optional.anyWrapped else { return nil }
        value = wrapped
    }
    if type(of: value) is AnyClass, !(value is ObjectBase),
        _typeName(type(of: value), qualified: true) == "Foundation.NSNull"
    {
        return nil
    }
    return value
}

/// An optional of any type.
private protocol AnyOptional {
    var anyWrapped: Any? { get }
}

extension Optional: AnyOptional {
    var anyWrapped: Any? { self }
}

extension _StorageType {
    /// The stored form of a value of any type; nil if it cannot be one of this type's without loss.
    ///
    /// Integers of all widths fit into integers, `Double` and `Float`; booleans into integers; 0 and 1 into
    /// booleans; `Float` and `Double` into each other within range; numbers, and strings that write
    /// one, into `Decimal128`, a double as the shortest number that gives it back. Enums go by their
    /// raw values. Other strings are never parsed.
    func engineValue(of value: Any) -> Value? {
        let stored = (value as? any ScalarValue)?.engineValue ?? foreignValue(of: value)
        switch (valueType, stored) {
        case (.bool, .int(0)?): return .bool(false)
        case (.bool, .int(1)?): return .bool(true)
        case (.int, .bool(let bool)?): return .int(bool ? 1 : 0)
        case (.double, .int(let integer)?): return double(Double(integer))
        case (.double, .double(let number)?): return double(number)
        case (.decimal, .int(let integer)?): return .decimal(DecimalBits(integer))
        case (.decimal, .double(let number)?): return .decimal(DecimalBits(number))
        case (.decimal, .string(let text)?): return DecimalBits(text: text).map { .decimal($0) }
        default: return stored?.type == valueType ? stored : nil
        }
    }

    /// A number, which a `Float` may be too small for.
    private func double(_ number: Double) -> Value? {
        guard isFloat else { return .double(number) }
        let float = Float(number)
        if number.isFinite && !float.isFinite { return nil }
        return .double(Double(float))
    }

    /// The stored form of a number of a type that no property can have, among them Foundation's `NSNumber`.
    private func foreignValue(of value: Any) -> Value? {
        if let integer = value as? any BinaryInteger {
            return Int64(exactly: integer).map { .int($0) }
        }
        if let number = value as? any BinaryFloatingPoint { return .double(Double(number)) }
        if let text = value as? Substring { return .string(String(text)) }
        guard type(of: value) is AnyClass else { return nil }
        switch valueType {
        case .bool: return (value as? Bool).map { .bool($0) }
        case .int: return (value as? Int64).map { .int($0) }
        case .double: return (value as? Double).map { .double($0) }
        default: return nil
        }
    }
}

/// A value with its type, as sentences show it.
func told(_ value: Any?) -> String {
    guard let value else { return "nil" }
    var text = value is String ? "\"\(value)\"" : "\(value)"
    if text.utf8.count > 100 { text = String(text.prefix(100)) + "…" }
    return "\(text) (\(type(of: value)))"
}

extension Realm.Error {
    /// A value that its property cannot hold.
    static func wrongType(
        _ value: Any?, _ schema: ClassSchema, _ property: PropertySchema
    ) -> Realm.Error {
        Realm.Error(
            .invalidValue,
            "\(schema.name).\(property.name) is of type \(property.declaredName) and cannot hold "
                + "\(told(value)).", className: schema.name, property: property.name)
    }

    /// A value that a list cannot hold.
    static func wrongElement(
        _ value: Any?, _ schema: ClassSchema, _ property: PropertySchema
    ) -> Realm.Error {
        Realm.Error(
            .invalidValue,
            "\(schema.name).\(property.name) is of type \(property.declaredName) and cannot have "
                + "the element \(told(value)).", className: schema.name, property: property.name)
    }
}

extension PropertySchema {
    /// The type of the property as its declaration writes it.
    var declaredName: String {
        _typeName(field.valueType, qualified: false)
            .replacing(/Optional<([^<>]*)>/) { "\($0.output.1)?" }
    }
}
