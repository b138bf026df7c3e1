internal import FoundationEssentials

// Support for values of Foundation classes, such as those created by `JSONSerialization`. The
// library doesn't link Foundation, so it recognizes the classes by name and reads their
// values with Swift casts.

/// Returns the Swift value of an instance of a Foundation class: numbers as the type they were
/// created with; dates, data, UUIDs and strings as their Swift types; `nil` for `NSNull`. Returns
/// any other value unchanged.
func withoutFoundation(_ value: Any) -> Any? {
    guard type(of: value) is AnyClass, !(value is ObjectBase) else { return value }
    let name = _typeName(type(of: value), qualified: true)
    guard name.hasPrefix("Foundation.") else { return value }
    switch name {
    case "Foundation.NSNull": return nil
    case "Foundation.__NSCFBoolean": return value as? Bool ?? value
    case "Foundation.NSDecimalNumber": return value as? Decimal ?? value
    case "Foundation.NSNumber": return swiftNumber(value)
    default:
        if let text = value as? String { return text }
        if let date = value as? Date { return date }
        if let data = value as? Data { return data }
        if let uuid = value as? UUID { return uuid }
        return value
    }
}

/// Returns the number in an `NSNumber` as the type it was created with: a float, a
/// double or an integer.
///
/// An `NSNumber` can be cast to every type that can represent its number, so 1, 1.0 and true look
/// alike. The type is recorded in a private field, which is compared here with that of a number of
/// known type, obtained by casting in the other direction.
private func swiftNumber(_ number: Any) -> Any {
    let kind = kind(of: number)
    func isLike(_ example: Any) -> Bool {
        func isLike<Number>(_ type: Number.Type) -> Bool {
            (example as? Number).map { Regnum.kind(of: $0) == kind } ?? false
        }
        return kind != nil && _openExistential(type(of: number), do: isLike)
    }
    if let double = number as? Double {
        if isLike(1 as Double) { return double }
        if let float = number as? Float, isLike(1 as Float) { return float }
    }
    return number as? Int ?? number as? UInt64 ?? number as? Double ?? number
}

private func kind(of number: Any) -> UInt32? {
    Mirror(reflecting: number).descendant("_base", "info") as? UInt32
}
