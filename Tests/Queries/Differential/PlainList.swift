import RegnumTestSupport

/// A collection of values of a node.
enum PlainList: Int, CaseIterable, Sendable {
    case ints, optDoubles, strings, kinds, anys
    case intSet, textSet, anySet
    case intMap, textMap, anyMap

    /// A property with values of the element type.
    var property: PlainProperty {
        switch self {
        case .ints, .intSet: .int
        case .optDoubles: .optDouble
        case .strings: .string
        case .kinds: .optKind
        case .textSet, .textMap: .optString
        case .intMap: .optInt
        case .anys, .anySet, .anyMap: .any
        }
    }

    var isSet: Bool { [.intSet, .textSet, .anySet].contains(self) }
    var isMap: Bool { [.intMap, .textMap, .anyMap].contains(self) }
    /// Whether it supports ranges and sums.
    var isBounded: Bool { [.ints, .optDoubles, .intSet, .intMap].contains(self) }

    /// Returns the map whose entry a property of the test stands for.
    static func entry(_ property: PlainProperty) -> PlainList? {
        switch property {
        case .intEntry: .intMap
        case .textEntry: .textMap
        case .anyEntry: .anyMap
        default: nil
        }
    }

    /// The key of those entries.
    static let entryKey = "k"

    /// Returns a random element. Elements of a set are never lists or dictionaries.
    func sampleElement(_ random: inout SeededRandom) -> PlainValue {
        guard self == .anySet else { return property.sample(&random) }
        return Int.random(in: 0..<6, using: &random) == 0
            ? .null : .any(PlainAny.sample(&random, isPlain: true))
    }

    func sample(_ random: inout SeededRandom, maxCount: Int = 5) -> PlainElements {
        let count = Int.random(in: 0..<maxCount, using: &random)
        var elements = PlainElements(values: (0..<count).map { _ in sampleElement(&random) })
        if isSet {
            var kept: [PlainValue] = []
            for value in elements.values
            where !kept.contains(where: { PlainValue.order($0, value) == 0 }) {
                kept.append(value)
            }
            elements.values = kept
        }
        if isMap { elements.keys = Array(PlainAny.keys.shuffled(using: &random).prefix(count)) }
        return elements
    }
}

/// The elements of a collection of values; for a map each with its key.
struct PlainElements: Sendable {
    var values: [PlainValue] = []
    var keys: [String] = []

    /// Returns the value for a key; null if there is none.
    subscript(key: String) -> PlainValue {
        keys.firstIndex(of: key).map { values[$0] } ?? .null
    }
}
