/// A name or text with the identity that strings have in a realm: two are equal if their UTF-8
/// bytes are. Swift's strings are also equal if they are canonically equivalent.
///
/// As the wrapper of a `String` property, makes the synthesized `==` and `hash(into:)` use it.
@propertyWrapper
package struct StoredText: Hashable, Sendable {
    package var wrappedValue: String

    /// The text with its identity, as `$name` of a wrapped property `name`.
    package var projectedValue: StoredText { self }

    package init(wrappedValue: String) { self.wrappedValue = wrappedValue }

    package init(_ text: String) { wrappedValue = text }

    package static func == (a: StoredText, b: StoredText) -> Bool {
        equalUTF8(a.wrappedValue, b.wrappedValue)
    }

    package func hash(into hasher: inout Hasher) { hashUTF8(wrappedValue, into: &hasher) }
}

extension StoredText: Comparable {
    package static func < (a: StoredText, b: StoredText) -> Bool {
        precedes(a.wrappedValue, b.wrappedValue)
    }

    /// Returns whether the bytes of one text precede those of another.
    package static func precedes(_ a: String, _ b: String) -> Bool { compareUTF8(a, b) < 0 }
}

extension StoredText: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { wrappedValue = text }
}
