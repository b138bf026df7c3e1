import RegnumSimulation
import RegnumTestSupport

// The expected content of a realm, in plain Swift. The files AtlasValue, AtlasKind, AtlasNumbers,
// AtlasState, AtlasNested, AtlasEdit, AtlasWorld, AtlasEffect, AtlasDraw and AtlasDraw+Any don't
// use the library.

/// A text or other bytes, compared byte by byte.
struct AtlasBytes: Hashable, Comparable, Sendable, CustomStringConvertible {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }
    init(_ text: String) { bytes = Array(text.utf8) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    static func < (left: AtlasBytes, right: AtlasBytes) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    /// A description that distinguishes texts that look alike.
    var description: String {
        "'"
            + bytes.map {
                $0 < 33 || $0 > 126 ? "%\(String($0, radix: 16))" : String(UnicodeScalar($0))
            }.joined() + "'"
    }
}

/// One value, link or embedded object.
enum AtlasValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    /// Bits, so that NaN equals itself and the two zeros differ.
    case float(UInt32)
    case double(UInt64)
    case date(UInt64)
    /// One of `AtlasKind.decimals`.
    case decimal(String)
    case text(AtlasBytes)
    case bytes(AtlasBytes)
    case uuid(AtlasBytes)
    case objectId(AtlasBytes)
    case spot(Int, Int)
    /// A text with a spot or null.
    indirect case sign(AtlasBytes, AtlasValue)
    /// The node with that number.
    case link(Int)
    /// The object with that number in the class of values of any type.
    case kin(Int)
    indirect case box(AtlasBoxValue)
    /// A list in a value of any type.
    indirect case items([AtlasValue])
    /// A dictionary in a value of any type, with ascending keys.
    indirect case entries([AtlasEntry])

    /// Whether one value precedes another in a set. If neither precedes the other, the set treats
    /// them as equal.
    static func precedes(_ left: AtlasValue, _ right: AtlasValue) -> Bool {
        switch (left, right) {
        case (.null, .null): false
        case (.null, _): true
        case (_, .null): false
        case (.bool(let x), .bool(let y)): !x && y
        case (.int(let x), .int(let y)): x < y
        case (.float(let x), .float(let y)):
            precedes(Double(Float(bitPattern: x)), Double(Float(bitPattern: y)))
        case (.double(let x), .double(let y)), (.date(let x), .date(let y)):
            precedes(Double(bitPattern: x), Double(bitPattern: y))
        case (.decimal(let x), .decimal(let y)):
            AtlasKind.decimalRank(x) < AtlasKind.decimalRank(y)
        case (.text(let x), .text(let y)), (.bytes(let x), .bytes(let y)),
            (.uuid(let x), .uuid(let y)), (.objectId(let x), .objectId(let y)):
            x < y
        case (.link(let x), .link(let y)), (.kin(let x), .kin(let y)): x < y
        default: left.rank < right.rank
        }
    }

    /// The position of a value of any type among those of other types; numbers by their value.
    private var rank: (Int, Int) {
        switch self {
        case .null: (0, 0)
        case .bool: (1, 0)
        case .int, .float, .double, .decimal: (2, AtlasNumbers.rank(self))
        case .text: (3, 0)
        case .bytes: (4, 0)
        case .date: (5, 0)
        case .objectId: (6, 0)
        case .uuid: (7, 0)
        case .link: (8, 0)
        case .kin: (9, 0)
        case .spot, .sign, .box, .items, .entries: fatalError("\(self) can't be in a set.")
        }
    }

    /// Whether it links to an object.
    var isLink: Bool {
        switch self {
        case .link, .kin: true
        default: false
        }
    }

    private static func precedes(_ left: Double, _ right: Double) -> Bool {
        left.isNaN ? !right.isNaN : left < right
    }

    static func areSame(_ left: AtlasValue, _ right: AtlasValue) -> Bool {
        !precedes(left, right) && !precedes(right, left)
    }
}

/// An embedded object.
struct AtlasBoxValue: Hashable, Sendable {
    var size = 0
    var text = AtlasBytes("")
    var marks: [Int] = []
    /// Ascending.
    var colors: [Int] = []
    /// By ascending keys.
    var pairs: [AtlasEntry] = []
    var node: Int?
    /// The text of an object embedded in this one.
    var lid: AtlasBytes?
    /// Of any type.
    var content = AtlasValue.null

    /// Returns the value after an update in place with the values of another one.
    func updated(with new: AtlasBoxValue) -> AtlasBoxValue {
        var result = new
        result.colors = Set(colors + new.colors).sorted()
        var pairs = AtlasState.map(self.pairs)
        for entry in new.pairs { pairs.apply(.put(entry.key, entry.value)) }
        if case .map(let entries) = pairs { result.pairs = entries }
        result.content = content.updated(with: new.content)
        return result
    }
}

/// An entry of a map.
struct AtlasEntry: Hashable, Sendable {
    var key: AtlasBytes
    var value: AtlasValue
}
