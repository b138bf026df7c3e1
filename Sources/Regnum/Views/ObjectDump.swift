internal import FoundationEssentials
internal import RegnumEngine

/// Something whose properties can be written out for logs: the row of an object in one view.
protocol DumpedObject {
    var schema: ClassSchema { get }
    /// Tells the object from others where there is no room for its properties.
    var identity: RowIdentity { get }
    /// What a property holds, by its position.
    func dumped(_ property: Int) -> DumpedProperty<Self>
}

/// What a property holds.
enum DumpedProperty<Object: DumpedObject> {
    case value(Value)
    case link(Object?)
    /// How many there are, and the first hundred.
    case values(Int, [Value])
    case objects(Int, [Object])
    /// Not written out: an inverse.
    case hidden
}

/// How much of a collection a description shows, and how deep it goes.
enum DumpLimits {
    static let elementCountMax = 100
    static let depthMax = 5
    static let byteCountMax = 24
}

/// Class and properties, nested and indented; not deeper than five objects and not more than a
/// hundred elements of a collection.
struct ObjectDump {
    private(set) var text = ""

    mutating func write<Object: DumpedObject>(_ object: Object, depth: Int = 0) {
        let schema = object.schema
        text += "\(schema.name) {\n"
        for (index, property) in schema.properties.enumerated() {
            switch object.dumped(index) {
            case .hidden: continue
            case .value(let value):
                begin(property.name, depth)
                text += value.text
            case .link(let target):
                begin(property.name, depth)
                if let target { nested(target, depth + 1) } else { text += "nil" }
            case .values(let count, let values):
                begin(property.name, depth)
                list(count, values, depth) { dump, value in dump.text += value.text }
            case .objects(let count, let objects):
                begin(property.name, depth)
                list(count, objects, depth) { dump, object in dump.nested(object, depth + 2) }
            }
            text += "\n"
        }
        text += indent(depth) + "}"
    }

    private mutating func nested<Object: DumpedObject>(_ object: Object, _ depth: Int) {
        guard depth < DumpLimits.depthMax else {
            text += "\(object.identity) (deeper than is shown)"
            return
        }
        write(object, depth: depth)
    }

    /// Writes elements with their positions, one a line.
    mutating func list<Element>(
        _ count: Int, _ elements: [Element], _ depth: Int,
        _ write: (inout ObjectDump, Element) -> Void
    ) {
        guard count > 0 else {
            text += "[]"
            return
        }
        text += "[\n"
        for (index, element) in elements.enumerated() {
            text += indent(depth + 2) + "\(index): "
            write(&self, element)
            text += "\n"
        }
        if count > elements.count {
            text += indent(depth + 2) + "and \(count - elements.count) more\n"
        }
        text += indent(depth + 1) + "]"
    }

    private mutating func begin(_ name: String, _ depth: Int) {
        text += indent(depth + 1) + "\(name): "
    }

    private func indent(_ depth: Int) -> String { String(repeating: "    ", count: depth) }
}

extension Value {
    /// The value as a description shows it. Long data is abbreviated.
    var text: String {
        switch self {
        case .null: return "nil"
        case .bool(let value): return "\(value)"
        case .int(let value): return "\(value)"
        case .double(let value): return "\(value)"
        case .string(let value): return value.debugDescription
        case .data(let bytes):
            let start = bytes.prefix(DumpLimits.byteCountMax).map { byte in
                let digits = String(byte, radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }.joined()
            let rest = bytes.count > DumpLimits.byteCountMax ? "…" : ""
            return "<\(start)\(rest)> (\(bytes.count) bytes)"
        case .date: return "\(Date.fromEngine(self))"
        case .uuid: return "\(UUID.fromEngine(self))"
        case .objectId: return "\(ObjectId.fromEngine(self))"
        }
    }
}
