import FoundationEssentials

// What the realm must hold, in plain Swift: rows by serial, each with a cell for each property.

enum PlainValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    /// Bits, so that NaN is equal to itself and zeros differ.
    case double(UInt64)
    case text(String)
    /// Seconds.
    case date(Int)

    static func of(_ number: Int?) -> PlainValue { number.map { .int($0) } ?? .null }

    var int: Int? { if case .int(let number) = self { number } else { nil } }

    var text: String? { if case .text(let text) = self { text } else { nil } }

    var double: Double? {
        if case .double(let bits) = self { Double(bitPattern: bits) } else { nil }
    }

    /// As the library takes it where the type is not known.
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

    /// Negative, zero or positive: nil first, then NaN, texts by their bytes, false before true.
    static func compare(_ left: PlainValue, _ right: PlainValue) -> Int {
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
        default: fatalError("Values of two types are compared.")
        }
    }
}

enum PlainClass: Int, Sendable, CaseIterable {
    case person
    case dog
    case toy
    case box

    var name: String { ["StreamPerson", "StreamDog", "StreamToy", "StreamBox"][rawValue] }

    var properties: [PlainProperty] { PlainProperty.all[rawValue] }

    /// The property with the primary key.
    var key: Int? { self == .person || self == .dog ? 1 : nil }

    func index(of name: String) -> Int? { properties.firstIndex { $0.name == name } }
}

struct PlainProperty: Sendable {
    enum Kind: Hashable, Sendable {
        case serial
        case key
        case value(PlainValueKind)
        case link(PlainClass)
        case list(PlainClass)
        case values(PlainValueKind)

        /// The class that a link or list of objects leads to.
        var target: PlainClass? {
            switch self {
            case .link(let target), .list(let target): target
            default: nil
            }
        }

        var isLink: Bool { if case .link = self { true } else { false } }
        var isValues: Bool { if case .values = self { true } else { false } }
        var isList: Bool {
            switch self {
            case .list, .values: true
            default: false
            }
        }
    }

    let name: String
    let kind: Kind

    static let all: [[PlainProperty]] = [
        [
            PlainProperty(name: "serial", kind: .serial), PlainProperty(name: "id", kind: .key),
            PlainProperty(name: "group", kind: .value(.group)),
            PlainProperty(name: "age", kind: .value(.optionalInt)),
            PlainProperty(name: "name", kind: .value(.text)),
            PlainProperty(name: "score", kind: .value(.double)),
            PlainProperty(name: "isOn", kind: .value(.bool)),
            PlainProperty(name: "born", kind: .value(.date)),
            PlainProperty(name: "mood", kind: .value(.mood)),
            PlainProperty(name: "boss", kind: .link(.person)),
            PlainProperty(name: "dog", kind: .link(.dog)),
            PlainProperty(name: "dogs", kind: .list(.dog)),
            PlainProperty(name: "friends", kind: .list(.person)),
            PlainProperty(name: "tags", kind: .values(.text)),
            PlainProperty(name: "box", kind: .link(.box)),
            PlainProperty(name: "boxes", kind: .list(.box)),
        ],
        [
            PlainProperty(name: "serial", kind: .serial), PlainProperty(name: "name", kind: .key),
            PlainProperty(name: "age", kind: .value(.int)),
            PlainProperty(name: "weight", kind: .value(.optionalDouble)),
            PlainProperty(name: "toy", kind: .link(.toy)),
            PlainProperty(name: "toys", kind: .list(.toy)),
            PlainProperty(name: "numbers", kind: .values(.optionalInt)),
        ],
        [
            PlainProperty(name: "serial", kind: .serial),
            PlainProperty(name: "price", kind: .value(.int)),
            PlainProperty(name: "label", kind: .value(.optionalText)),
            PlainProperty(name: "dog", kind: .link(.dog)),
        ],
        [
            PlainProperty(name: "serial", kind: .serial),
            PlainProperty(name: "size", kind: .value(.int)),
            PlainProperty(name: "label", kind: .value(.text)),
            PlainProperty(name: "toy", kind: .link(.toy)),
        ],
    ]
}

/// An inverse: the objects of a class that link to this one through a property.
struct PlainInverse: Hashable, Sendable {
    let origin: PlainClass
    let property: Int
}

/// What a property may hold.
enum PlainValueKind: Sendable {
    case group, int, optionalInt, text, optionalText, double, optionalDouble, bool, date, mood

    func draw(_ random: inout SeededRandom) -> PlainValue {
        switch self {
        case .group: return .int(random.below(3))
        case .int: return .int(random.below(5))
        case .optionalInt: return random.isOne(of: 4) ? .null : .int(random.below(5))
        case .text: return .text(["", "a", "b", "Z", "\u{e9}", "e\u{301}"][random.below(6)])
        case .optionalText:
            return random.isOne(of: 4) ? .null : .text(["a", "b", "z"][random.below(3)])
        case .double:
            let values = [0.0, -0.0, .nan, 1.5, -2, .infinity]
            return .double(values[random.below(values.count)].bitPattern)
        case .optionalDouble:
            return random.isOne(of: 4) ? .null : PlainValueKind.double.draw(&random)
        case .bool: return .bool(random.isOne(of: 2))
        case .date: return .date(random.below(4))
        case .mood: return .text(["calm", "busy", "loud"][random.below(3)])
        }
    }
}

extension SeededRandom {
    mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: (next() >> 33) % UInt64(bound))
    }

    mutating func isOne(of number: Int) -> Bool { below(number) == 0 }

    mutating func element<T>(_ elements: [T]) -> T? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}

/// An element of a list. The identity is new for each insertion, and for a move.
struct PlainSlot: Hashable, Sendable {
    let identity: Int
    /// What a move takes along: a value's own identity.
    let element: Int
    /// The serial for objects.
    var value: PlainValue
}

enum PlainCell: Sendable {
    /// A value, or the serial that a link leads to.
    case value(PlainValue)
    case list([PlainSlot])
}

struct PlainRow: Sendable {
    let kind: PlainClass
    let serial: Int
    var cells: [PlainCell]

    /// The value of a property that is no list; of a link the serial.
    func value(_ property: Int) -> PlainValue {
        guard case .value(let value) = cells[property] else { return .null }
        return value
    }

    func slots(_ property: Int) -> [PlainSlot] {
        guard case .list(let slots) = cells[property] else { return [] }
        return slots
    }

    /// Where a link or list of objects leads, in order.
    func targets(_ property: Int) -> [Int] {
        switch cells[property] {
        case .value(let value): value.int.map { [$0] } ?? []
        case .list(let slots): slots.compactMap(\.value.int)
        }
    }
}

/// The content of one version.
struct PlainStreamWorld: Sendable {
    var version: UInt64 = 0
    private(set) var rows: [Int: PlainRow] = [:]
    /// By class, in order of creation.
    private(set) var order: [[Int]] = Array(repeating: [], count: PlainClass.allCases.count)
    /// For serials and slots.
    var lastIdentity = 0

    /// An element that is new in its list.
    mutating func slot(_ value: PlainValue) -> PlainSlot {
        let identity = newIdentity()
        return PlainSlot(identity: identity, element: identity, value: value)
    }

    mutating func newIdentity() -> Int {
        lastIdentity += 1
        return lastIdentity
    }

    subscript(serial: Int) -> PlainRow? { rows[serial] }

    func serials(_ kind: PlainClass) -> [Int] { order[kind.rawValue] }

    func rows(_ kind: PlainClass) -> [PlainRow] { order[kind.rawValue].compactMap { rows[$0] } }

    func row(_ kind: PlainClass, key: PlainValue) -> PlainRow? {
        guard let property = kind.key else { return nil }
        return rows(kind).first { $0.value(property) == key }
    }

    mutating func insert(_ row: PlainRow) {
        rows[row.serial] = row
        order[row.kind.rawValue].append(row.serial)
    }

    mutating func remove(_ serial: Int) {
        guard let row = rows.removeValue(forKey: serial) else { return }
        order[row.kind.rawValue].removeAll { $0 == serial }
    }

    mutating func put(_ cell: PlainCell, _ serial: Int, _ property: Int) {
        rows[serial]?.cells[property] = cell
    }

    /// The objects that link to one through a property, each as often as it does.
    func origins(_ serial: Int, _ inverse: PlainInverse) -> [Int] {
        rows(inverse.origin).flatMap { row in
            row.targets(inverse.property).filter { $0 == serial }.map { _ in row.serial }
        }
    }

    /// As `StreamModel.content` tells it.
    func content(_ serial: Int) -> [[PlainValue]] {
        guard let row = rows[serial] else { return [] }
        return row.kind.properties.indices.map { property in
            if row.kind.properties[property].kind.target == .box {
                let boxes = row.targets(property).flatMap { content($0).flatMap { $0 } }
                let isList = row.kind.properties[property].kind.isList
                return boxes.isEmpty && !isList ? [.null] : boxes
            }
            switch row.cells[property] {
            case .value(let value): return [value]
            case .list(let slots): return slots.map(\.value)
            }
        }
    }
}
