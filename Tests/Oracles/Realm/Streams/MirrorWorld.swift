import FoundationEssentials
import RegnumSimulation
import RegnumTestSupport

// The expected content of the realm, in plain Swift: rows by serial, with a cell for each property.

enum MirrorValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    /// Bits, so that NaN equals itself and the two zeros differ.
    case double(UInt64)
    case text(String)
    /// Seconds.
    case date(Int)

    static func of(_ number: Int?) -> MirrorValue { number.map { .int($0) } ?? .null }

    /// Compares texts by their bytes.
    static func == (left: MirrorValue, right: MirrorValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.int(let a), .int(let b)), (.date(let a), .date(let b)): a == b
        case (.double(let a), .double(let b)): a == b
        case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .null: break
        case .bool(let value): hasher.combine(value)
        case .int(let value), .date(let value): hasher.combine(value)
        case .double(let bits): hasher.combine(bits)
        case .text(let text): for byte in text.utf8 { hasher.combine(byte) }
        }
    }

    var int: Int? { if case .int(let number) = self { number } else { nil } }

    var text: String? { if case .text(let text) = self { text } else { nil } }

    var double: Double? {
        if case .double(let bits) = self { Double(bitPattern: bits) } else { nil }
    }

    /// The value as passed to the library where its type isn't known.
    var any: Any? {
        switch self {
        case .null: nil
        case .bool(let value): value
        case .int(let value): value
        case .double(let bits): Double(bitPattern: bits)
        case .text(let value): value
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: Double(seconds))
        }
    }

    /// Returns a negative number, zero or a positive one. `nil` sorts first, then NaN, texts by
    /// their bytes, `false` before `true`.
    static func compare(_ left: MirrorValue, _ right: MirrorValue) -> Int {
        func order<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : (b < a ? 1 : 0) }
        switch (left, right) {
        case (.null, .null): return 0
        case (.null, _): return -1
        case (_, .null): return 1
        case (.bool(let a), .bool(let b)): return (a ? 1 : 0) - (b ? 1 : 0)
        case (.int(let a), .int(let b)), (.date(let a), .date(let b)): return order(a, b)
        case (.double(let a), .double(let b)):
            let (x, y) = (Double(bitPattern: a), Double(bitPattern: b))
            if x.isNaN || y.isNaN { return (x.isNaN ? 0 : 1) - (y.isNaN ? 0 : 1) }
            return order(x, y)
        case (.text(let a), .text(let b)):
            let (x, y) = (Array(a.utf8), Array(b.utf8))
            return x == y ? 0 : (x.lexicographicallyPrecedes(y) ? -1 : 1)
        default: fatalError("Values of two types were compared.")
        }
    }
}

enum MirrorClass: Int, Sendable, CaseIterable {
    case person
    case dog
    case toy
    case box

    var name: String { ["StreamPerson", "StreamDog", "StreamToy", "StreamBox"][rawValue] }

    var properties: [MirrorProperty] { MirrorProperty.all[rawValue] }

    /// The any-typed value of a dog.
    static let note = 9

    /// The property that is the primary key.
    var key: Int? { self == .person || self == .dog ? 1 : nil }

    /// The inverses, which are declared after the properties.
    var inverses: [String] {
        [["staff", "fans"], ["owners", "keepers", "pens"], ["dogs"], []][rawValue]
    }

    /// Returns the position of a property or inverse in the declaration.
    func position(_ name: String) -> Int {
        (properties.map(\.name) + inverses).firstIndex(of: name) ?? -1
    }

    /// Returns the hidden class of the elements of a list or set of values, or of a map.
    func elements(_ property: Int) -> String { "\(name).\(properties[property].name)" }
}

struct MirrorProperty: Sendable {
    enum Kind: Hashable, Sendable {
        case serial
        case key
        case value(MirrorValueKind)
        case link(MirrorClass)
        case list(MirrorClass)
        case values(MirrorValueKind)
        case set(MirrorClass)
        case setOfValues(MirrorValueKind)
        case map(MirrorClass)
        case mapOfValues(MirrorValueKind)
        /// A value of any type.
        case any

        /// The class that a link, or a list, set or map of objects, refers to.
        var target: MirrorClass? {
            switch self {
            case .link(let target), .list(let target), .set(let target), .map(let target): target
            default: nil
            }
        }

        /// The type of the elements of a list, set or map of values.
        var elements: MirrorValueKind? {
            switch self {
            case .values(let kind), .setOfValues(let kind), .mapOfValues(let kind): kind
            default: nil
            }
        }

        var isLink: Bool { if case .link = self { true } else { false } }
        var isSet: Bool {
            switch self {
            case .set, .setOfValues: true
            default: false
            }
        }
        var isMap: Bool {
            switch self {
            case .map, .mapOfValues: true
            default: false
            }
        }
        /// A list, set or map.
        var isCollection: Bool {
            switch self {
            case .list, .values: true
            default: isSet || isMap
            }
        }
        /// Whether its elements are rows of a hidden class.
        var hasElements: Bool { elements != nil || isMap }
        /// Whether its elements can be set in place; those of a set can only be inserted and
        /// removed.
        var hasSettableElements: Bool { hasElements && !isSet }
    }

    let name: String
    let kind: Kind

    static let all: [[MirrorProperty]] = [
        [
            MirrorProperty(name: "serial", kind: .serial), MirrorProperty(name: "id", kind: .key),
            MirrorProperty(name: "group", kind: .value(.group)),
            MirrorProperty(name: "age", kind: .value(.optionalInt)),
            MirrorProperty(name: "name", kind: .value(.text)),
            MirrorProperty(name: "score", kind: .value(.double)),
            MirrorProperty(name: "isOn", kind: .value(.bool)),
            MirrorProperty(name: "born", kind: .value(.date)),
            MirrorProperty(name: "mood", kind: .value(.mood)),
            MirrorProperty(name: "boss", kind: .link(.person)),
            MirrorProperty(name: "dog", kind: .link(.dog)),
            MirrorProperty(name: "dogs", kind: .list(.dog)),
            MirrorProperty(name: "friends", kind: .list(.person)),
            MirrorProperty(name: "tags", kind: .values(.text)),
            MirrorProperty(name: "box", kind: .link(.box)),
            MirrorProperty(name: "boxes", kind: .list(.box)),
            MirrorProperty(name: "pets", kind: .map(.dog)),
            MirrorProperty(name: "marks", kind: .mapOfValues(.optionalInt)),
            MirrorProperty(name: "crates", kind: .map(.box)),
        ],
        [
            MirrorProperty(name: "serial", kind: .serial), MirrorProperty(name: "name", kind: .key),
            MirrorProperty(name: "age", kind: .value(.int)),
            MirrorProperty(name: "weight", kind: .value(.optionalDouble)),
            MirrorProperty(name: "toy", kind: .link(.toy)),
            MirrorProperty(name: "toys", kind: .list(.toy)),
            MirrorProperty(name: "numbers", kind: .values(.optionalInt)),
            MirrorProperty(name: "colors", kind: .setOfValues(.optionalInt)),
            MirrorProperty(name: "pals", kind: .set(.person)),
            MirrorProperty(name: "note", kind: .any),
        ],
        [
            MirrorProperty(name: "serial", kind: .serial),
            MirrorProperty(name: "price", kind: .value(.int)),
            MirrorProperty(name: "label", kind: .value(.optionalText)),
            MirrorProperty(name: "dog", kind: .link(.dog)),
        ],
        [
            MirrorProperty(name: "serial", kind: .serial),
            MirrorProperty(name: "size", kind: .value(.int)),
            MirrorProperty(name: "label", kind: .value(.text)),
            MirrorProperty(name: "toy", kind: .link(.toy)),
        ],
    ]
}

/// An inverse: the objects of a class that link to this one through a property.
struct MirrorInverse: Hashable, Sendable {
    let origin: MirrorClass
    let property: Int
}

/// The type of the values of a property.
enum MirrorValueKind: Sendable {
    case group, int, optionalInt, text, optionalText, double, optionalDouble, bool, date, mood

    func draw(_ random: inout SeededRandom) -> MirrorValue {
        switch self {
        case .group: return .int(random.below(3))
        case .int: return .int(random.below(5))
        case .optionalInt: return random.oneIn(4) ? .null : .int(random.below(5))
        case .text: return .text(["", "a", "b", "Z", "\u{e9}", "e\u{301}"][random.below(6)])
        case .optionalText:
            return random.oneIn(4) ? .null : .text(["a", "b", "z"][random.below(3)])
        case .double:
            let values = [0.0, -0.0, .nan, 1.5, -2, .infinity]
            return .double(values[random.below(values.count)].bitPattern)
        case .optionalDouble:
            return random.oneIn(4) ? .null : MirrorValueKind.double.draw(&random)
        case .bool: return .bool(random.oneIn(2))
        case .date: return .date(random.below(4))
        case .mood: return .text(["calm", "busy", "loud"][random.below(3)])
        }
    }
}

extension SeededRandom {
    mutating func pick<T>(_ elements: [T]) -> T? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}

/// An element of a list or set, or an entry of a map. The identity is new for each insertion, and
/// for each move.
struct MirrorSlot: Hashable, Sendable {
    let identity: Int
    /// The value's own identity, which a move preserves.
    let element: Int
    /// The serial for objects.
    var value: MirrorValue
    /// For the entry of a map.
    var key = ""
}

enum MirrorCell: Sendable {
    /// A value, or the serial of a linked object.
    case value(MirrorValue)
    case list([MirrorSlot])
    case tree(MirrorTree)
}

struct MirrorRow: Sendable {
    let kind: MirrorClass
    let serial: Int
    var cells: [MirrorCell]

    /// Returns the value of a property that isn't a list; for a link the serial.
    func value(_ property: Int) -> MirrorValue {
        guard case .value(let value) = cells[property] else { return .null }
        return value
    }

    func tree(_ property: Int) -> MirrorTree {
        guard case .tree(let tree) = cells[property] else { return .none }
        return tree
    }

    func slots(_ property: Int) -> [MirrorSlot] {
        guard case .list(let slots) = cells[property] else { return [] }
        return slots
    }

    /// Returns the objects that a link or list of objects refers to, in order.
    func targets(_ property: Int) -> [Int] {
        switch cells[property] {
        case .value(let value): value.int.map { [$0] } ?? []
        case .list(let slots): slots.compactMap(\.value.int)
        case .tree: []
        }
    }
}

/// The content of one version.
struct MirrorWorld: Sendable {
    var version: UInt64 = 0
    private(set) var rows: [Int: MirrorRow] = [:]
    /// By class, in order of creation.
    private(set) var order: [[Int]] = Array(repeating: [], count: MirrorClass.allCases.count)
    /// The last identity, of serials and slots.
    var lastIdentity = 0

    /// Returns an element that is new in its list.
    mutating func slot(_ value: MirrorValue) -> MirrorSlot {
        let identity = newIdentity()
        return MirrorSlot(identity: identity, element: identity, value: value)
    }

    mutating func newIdentity() -> Int {
        lastIdentity += 1
        return lastIdentity
    }

    subscript(serial: Int) -> MirrorRow? { rows[serial] }

    func serials(_ kind: MirrorClass) -> [Int] { order[kind.rawValue] }

    func rows(_ kind: MirrorClass) -> [MirrorRow] { order[kind.rawValue].compactMap { rows[$0] } }

    func row(_ kind: MirrorClass, key: MirrorValue) -> MirrorRow? {
        guard let property = kind.key else { return nil }
        return rows(kind).first { $0.value(property) == key }
    }

    mutating func insert(_ row: MirrorRow) {
        rows[row.serial] = row
        order[row.kind.rawValue].append(row.serial)
    }

    mutating func remove(_ serial: Int) {
        guard let row = rows.removeValue(forKey: serial) else { return }
        order[row.kind.rawValue].removeAll { $0 == serial }
    }

    mutating func put(_ cell: MirrorCell, _ serial: Int, _ property: Int) {
        rows[serial]?.cells[property] = cell
    }

    /// Returns the objects that link to one through a property, each as often as it does.
    func origins(_ serial: Int, _ inverse: MirrorInverse) -> [Int] {
        rows(inverse.origin).flatMap { row in
            row.targets(inverse.property).filter { $0 == serial }.map { _ in row.serial }
        }
    }

    /// Returns the content in the form of `StreamModel.content`.
    func content(_ serial: Int) -> [[MirrorValue]] {
        guard let row = rows[serial] else { return [] }
        return row.kind.properties.enumerated().map { property, declared in
            func plain(_ value: MirrorValue) -> [MirrorValue] {
                guard declared.kind.target == .box, let box = value.int else { return [value] }
                return content(box).flatMap { $0 }
            }
            switch row.cells[property] {
            case .value(let value): return plain(value)
            case .list(let slots) where declared.kind.isMap:
                return slots.flatMap { [.text($0.key)] + plain($0.value) }
            case .list(let slots): return slots.flatMap { plain($0.value) }
            case .tree(let tree): return [tree.flat]
            }
        }
    }
}
