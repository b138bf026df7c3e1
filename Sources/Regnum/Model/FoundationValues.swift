internal import FoundationEssentials

// Values of Foundation's classes, such as `JSONSerialization` gives them. The library does without
// Foundation, so it knows the classes by their names and sees the values through Swift's casts.

/// The Swift value of an instance of one of Foundation's classes: of a number in its own kind, of
/// dates, data, UUIDs and texts their Swift types. nil for `NSNull`; other instances as they are.
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

/// The number in an `NSNumber`, as the kind that it was made of: a float, a double or an integer.
///
/// An `NSNumber` casts to every type that can hold its number, so that 1, 1.0 and true look alike.
/// The kind shows in a field of the number: it is the same in an example of that kind, which is
/// made by a cast in the other direction.
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
