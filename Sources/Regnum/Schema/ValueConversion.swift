internal import FoundationEssentials
package import RegnumEngine
internal import RegnumStore

/// Unwraps nested optionals and converts Foundation values to Swift ones. Returns `nil`
/// for `nil` and `NSNull`.
func unwrapped(_ value: Any) -> Any? {
    var value = value
    while let optional = value as? any AnyOptional {
        guard let wrapped = optional.anyWrapped else { return nil }
        value = wrapped
    }
    return withoutFoundation(value)
}

/// Casts the value to the class, or returns `nil`.
///
/// A plain cast of an array or dictionary to a class would first convert it recursively to
/// Foundation classes, which takes time proportional to its size at each level of nesting, and
/// may overflow the stack.
func instance<T: AnyObject>(of _: T.Type, _ value: Any?) -> T? {
    guard let value, type(of: value) is AnyClass else { return nil }
    return value as? T
}

/// A type-erased optional.
private protocol AnyOptional {
    var anyWrapped: Any? { get }
}

extension Optional: AnyOptional {
    var anyWrapped: Any? { self }
}

extension _StorageType {
    /// Converts a Swift value to its stored form; returns `nil` if this type cannot
    /// represent it without loss.
    ///
    /// Integers of all widths convert to integers, and to `Double` and `Float` if these have
    /// exactly the same number; booleans to integers;
    /// 0 and 1 to booleans; `Float` and `Double` to each other within range; numbers, and
    /// strings containing one, to `Decimal128`, where a floating-point number becomes the
    /// shortest decimal that converts back to it; Foundation's `Decimal` to `Decimal128`,
    /// `Double` and `Float`; strings containing a UUID to UUIDs. Enums convert as their raw
    /// values. No other strings are parsed.
    ///
    /// - Parameter value: A value returned by `unwrapped`.
    func engineValue(of value: Any) -> Value? {
        if let decimal = value as? Decimal { return engineValue(ofDecimal: decimal) }
        let scalar = value as? any ScalarValue
        let stored = scalar?.engineValue ?? foreignValue(of: value)
        switch (valueType, stored) {
        case (.bool, .int(0)?): return .bool(false)
        case (.bool, .int(1)?): return .bool(true)
        case (.int, .bool(let bool)?): return .int(bool ? 1 : 0)
        case (.double, .int(let integer)?): return exactDouble(integer)
        case (.double, .double(let number)?): return double(number)
        case (.decimal, .int(let integer)?): return .decimal(DecimalBits(integer))
        case (.decimal, .double(let number)?):
            let isFloat = scalar.map { type(of: $0)._storage.scalar == .float } ?? false
            return .decimal(isFloat ? DecimalBits(Float(number)) : DecimalBits(number))
        case (.decimal, .string(let text)?): return DecimalBits(given: text).map { .decimal($0) }
        case (.uuid, .string(let text)?): return UUID(uuidString: text)?.engineValue
        default: return stored?.type == valueType ? stored : nil
        }
    }

    private func engineValue(ofDecimal decimal: Decimal) -> Value? {
        let bits = Decimal128(decimal).bits
        switch valueType {
        case .decimal: return .decimal(bits)
        case .double: return double(bits.doubleValue)
        default: return nil
        }
    }

    /// Converts a number, unless it overflows `Float`.
    private func double(_ number: Double) -> Value? {
        guard self.scalar == .float else { return .double(number) }
        let float = Float(number)
        if number.isFinite && !float.isFinite { return nil }
        return .double(Double(float))
    }

    /// Converts an integer, unless that would round it.
    private func exactDouble(_ integer: some BinaryInteger) -> Value? {
        guard self.scalar == .float else { return Double(exactly: integer).map { .double($0) } }
        return Float(exactly: integer).map { .double(Double($0)) }
    }

    /// Converts a value whose type cannot be the type of a property.
    private func foreignValue(of value: Any) -> Value? {
        if let integer = value as? any BinaryInteger {
            if let integer = Int64(exactly: integer) { return .int(integer) }
            switch valueType {
            case .decimal: return Decimal128(exactly: integer).map { .decimal($0.bits) }
            case .double: return exactDouble(integer)
            default: return nil
            }
        }
        if let number = value as? any BinaryFloatingPoint {
            let double = Double(number)
            return number.isFinite && !double.isFinite ? nil : .double(double)
        }
        if let text = value as? Substring { return .string(String(text)) }
        return nil
    }
}

extension DecimalBits {
    /// Parses the text of a given value. Returns `nil` for text that isn't a number, and for a
    /// number that is too large and would become an infinity.
    package init?(given text: String) {
        self.init(text: text)
        if isInfinite, text.utf8.contains(where: { $0 &- UInt8(ascii: "0") < 10 }) { return nil }
    }
}

/// Returns a value and its type for error messages; only the class of an object. Long values are
/// truncated, and large collections are shown by their element count.
func describedWithType(_ value: Any?) -> String {
    guard let value else { return "nil" }
    if let object = instance(of: ObjectBase.self, value) { return withArticle(type(of: object)) }
    let text: String
    switch value {
    case let string as String: text = string.shown
    case let string as Substring: text = truncated(String(string.unicodeScalars.prefix(101)))
    case let date as Date: text = date.printed
    case let collection as any Collection where !isSafelyDescribed(value):
        text = "a value with \(collection.count) elements"
    default: text = isSafelyDescribed(value) ? truncated("\(value)") : "a value"
    }
    return "\(text) (\(type(of: value)))"
}

/// Returns the first 100 scalars of a longer text. A single character may have any length.
private func truncated(_ text: String) -> String {
    let scalars = text.unicodeScalars
    return scalars.count > 100 ? String(scalars.prefix(100)) + "…" : text
}

/// Returns whether a value can be described: it has few elements or properties, including nested
/// ones, on few levels, and none of them is a date that is NaN. Describing larger ones is slow or
/// may overflow the stack, and describing such a date traps.
private func isSafelyDescribed(_ value: Any) -> Bool {
    var left = 100
    var pending: [(value: Any, level: Int)] = [(value, 0)]
    while let (value, level) = pending.popLast() {
        guard let value = unwrapped(value), !hasOwnDescription(value) else { continue }
        if let date = value as? Date, date.isNaN { return false }
        guard let parts = parts(of: value, atMost: left) else { return false }
        if parts.isEmpty { continue }
        if level > 4 { return false }
        left -= parts.count
        for part in parts { pending.append((part, level + 1)) }
    }
    return true
}

/// Returns whether the type describes its values itself, whatever they contain.
private func hasOwnDescription(_ value: Any) -> Bool {
    value is String || value is Data || value is URL || value is AnyRealmValue
        || value is any UnmanagedList || value is any UnmanagedMap
        || instance(of: ObjectBase.self, value) != nil
}

/// Returns the elements of a collection, or the properties that the description of another value
/// shows; `nil` if there are more than `count`.
private func parts(of value: Any, atMost count: Int) -> [Any]? {
    if let dictionary = value as? [AnyHashable: Any] {
        if dictionary.count > count { return nil }
        return dictionary.flatMap { [$0.key.base, $0.value] }
    }
    if let collection = value as? any Collection {
        return collection.count > count ? nil : elements(of: collection)
    }
    if type(of: value) is AnyClass,
        !(value is any CustomStringConvertible || value is any CustomDebugStringConvertible)
    {
        return []  // only the name of the class is shown
    }
    var parts: [Any] = []
    var mirror: Mirror? = Mirror(reflecting: value)
    while let current = mirror {
        if parts.count + current.children.count > count { return nil }
        parts += current.children.map(\.value)
        mirror = current.superclassMirror
    }
    return parts
}

private func elements(of collection: some Collection) -> [Any] { collection.map { $0 as Any } }

extension Realm.Error {
    /// Objects given as dictionaries or arrays that are nested too deeply.
    static func tooDeep(
        _ maximumLevel: Int, _ className: String, _ property: String
    ) -> Realm.Error {
        .invalidValue(
            className, property,
            "was given an object nested more than \(maximumLevel) levels deep.")
    }

    /// A value of any type with lists and dictionaries that are nested too deeply.
    static func anyTooDeep(_ className: String, _ property: String) -> Realm.Error {
        .invalidValue(
            className, property,
            "was given lists or dictionaries nested more than \(Limits.maximumAnyLevel) levels "
                + "deep.")
    }

    /// A value that its property cannot hold.
    static func wrongType(
        _ value: Any?, _ schema: ClassSchema, _ property: PropertySchema
    ) -> Realm.Error {
        .invalidValue(
            schema.name, property.name,
            "is of type \(property.declaredName) and cannot hold \(describedWithType(value)).")
    }

    /// A value that a collection cannot hold.
    static func wrongElement(
        _ value: Any?, _ schema: ClassSchema, _ property: PropertySchema
    ) -> Realm.Error {
        .invalidValue(
            schema.name, property.name,
            "is of type \(property.declaredName) and cannot contain \(describedWithType(value)).")
    }
}

extension PropertySchema {
    /// The type of the property as written in its declaration.
    var declaredName: String { declaredTypeName(field.valueType) }
}

/// Returns the name of a type as written in a declaration: `Dog?` for `Optional<Dog>`.
func declaredTypeName(_ type: Any.Type) -> String {
    _typeName(type, qualified: false).replacing(/Optional<([^<>]*)>/) { "\($0.output.1)?" }
}
