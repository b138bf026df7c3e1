internal import FoundationEssentials
internal import RegnumEngine

extension ObjectBase: CustomStringConvertible {
    /// The default ``ObjectBase/description`` of a class.
    final var printedDescription: String {
        ObjectPrinter.text { $0.print(self) }
    }
}

extension _ConfinedCollection where Self: CustomStringConvertible {
    /// A description with one element per line, preceded by its position. Shows at most 100
    /// elements, and at most 5 levels of nested `AnyRealmValue` collections.
    public var description: String { ObjectPrinter.text { $0.print(self, "\(Self.self)") } }
}

extension Results: CustomStringConvertible {}
extension List: CustomStringConvertible {}
extension MutableSet: CustomStringConvertible {}
extension LinkingObjects: CustomStringConvertible {}
extension ConfinedSlice: CustomStringConvertible {}
extension ProjectedCollection: CustomStringConvertible {}

extension Map: CustomStringConvertible {
    /// A description with one entry per line, preceded by its key. Shows at most 100 entries, and
    /// at most 5 levels of nested `AnyRealmValue` collections.
    public var description: String {
        ObjectPrinter.text { $0.print(entries: anyEntries, Map._property.shape.swiftName) }
    }
}

/// Prints objects and the objects they link to as text.
struct ObjectPrinter {
    private static let maximumDepth = 5
    static let maximumElementCount = 100
    private static let maximumObjectCount = 1_000
    private static let maximumAllElementCount = 10_000
    private static let maximumDataByteCount = 24

    var text = ""
    private(set) var indentation = ""
    /// The objects enclosing the one being printed.
    private var path: [ObjectBase] = []
    private var objectCount = 0
    /// The number of elements printed so far, in all collections.
    private var elementCount = 0
    /// The number of `AnyRealmValue` collections enclosing the value being printed.
    private var anyDepth = 0

    /// Returns what `body` prints.
    static func text(_ body: (inout ObjectPrinter) -> Void) -> String {
        var printer = ObjectPrinter()
        body(&printer)
        return printer.text
    }

    mutating func print(_ object: ObjectBase) {
        let name = "\(type(of: object))"
        objectCount += 1
        if object.isInvalidated {
            text += "\(name) { deleted }"
        } else if path.contains(where: { $0.isSameObject(as: object) }) {
            text += "\(name) { see above }"
        } else if path.count >= ObjectPrinter.maximumDepth {
            text += "\(name) { <maximum depth exceeded> }"
        } else if objectCount > ObjectPrinter.maximumObjectCount {
            text += "\(name) { … }"
        } else {
            path.append(object)
            if let projection = ProjectionSchema.of(type(of: object)) {
                print(name, projection.properties, \.name) {
                    $0.print(projected: projection.value($1, in: object))
                }
            } else {
                let properties = ClassSchema.of(type(of: object)).properties.filter(\.isStored)
                print(name, properties, \.name) {
                    $0.print($1.field.dynamicValue(in: object, at: $1.offset), $1)
                }
            }
            path.removeLast()
        }
    }

    /// Prints a collection, up to the element limits.
    mutating func print<C: RandomAccessCollection>(_ elements: C, _ name: String)
    where C.Index == Int {
        printItems(elements.count, name) { count in
            zip(elements.indices, elements.prefix(count)).lazy.map {
                (label: "\($0)", value: unwrapped($1))
            }
        }
    }

    /// Prints an object with its properties.
    mutating func print<Property>(
        _ className: String, _ properties: [Property], _ name: (Property) -> String,
        _ value: (inout ObjectPrinter, Property) -> Void
    ) {
        text += "\(className) {\n"
        indented { printer in
            for property in properties {
                printer.text += "\(printer.indentation)\(name(property)) = "
                value(&printer, property)
                printer.text += "\n"
            }
        }
        text += "\(indentation)}"
    }

    private mutating func print(projected value: Any) {
        let value = unwrapped(value)
        switch value {
        case let list as any UnmanagedList & _ConfinedCollection: print(list, "\(type(of: list))")
        case let collection as any AnyProjectedCollection:
            print(collection.anyValues, "ProjectedCollection")
        default: print(any: value)
        }
    }

    /// Prints the entries of a map with their keys, up to the element limits.
    mutating func print(entries: [(key: String, value: Any?)], _ name: String) {
        printItems(entries.count, name) { count in
            entries.prefix(count).lazy.map { (label: $0.key, value: $0.value) }
        }
    }

    /// Prints the first of `count` items with their labels, up to the element limits.
    mutating func printItems<Items: Sequence>(
        _ count: Int, _ name: String, _ first: (Int) -> Items
    ) where Items.Element == (label: String, value: Any?) {
        if count == 0 {
            text += "\(name) ()"
            return
        }
        text += "\(name) (\n"
        indented { printer in
            let shownCount = printer.shownCount(of: count)
            for (label, value) in first(shownCount) {
                printer.text += "\(printer.indentation)[\(label)] "
                printer.print(any: value)
                printer.text += "\n"
            }
            let more = count - shownCount
            if more > 0 { printer.text += "\(printer.indentation)… \(more) more\n" }
        }
        text += "\(indentation))"
    }

    private mutating func print(_ value: Any?, _ property: PropertySchema) {
        if let map = value as? any UnmanagedMap {
            print(entries: map.anyEntries, property.shape.swiftName)
        } else if property.shape.isStoredList,
            let list = value as? any UnmanagedList & _ConfinedCollection
        {
            print(list, property.shape.swiftName)
        } else {
            print(any: value)
        }
    }

    mutating func print(any value: Any?) {
        switch value {
        case nil: text += "nil"
        case let object as ObjectBase: print(object)
        case let object as DynamicObject: text += object.className
        case let collection as any DynamicCollection: nested { collection.print(to: &$0) }
        case let value as AnyRealmValue: print(value)
        case let value as FrozenAnyValue: print(value)
        case let object as any FrozenRow: object.print(to: &self)
        case let data as Data:
            let shown = data.prefix(ObjectPrinter.maximumDataByteCount)
                .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let isShort = data.count <= ObjectPrinter.maximumDataByteCount
            text += "<\(shown)\(isShort ? "" : "…")> (\(data.count) bytes)"
        case let date as Date: text += date.printed
        case let value?: text += "\(value)"
        }
    }

    private mutating func print(_ value: AnyRealmValue) {
        switch value {
        case .none: text += "nil"
        case .object(let object): print(object)
        case .data(let data): print(any: data)
        case .list(let list): nested { $0.print(list, "List<AnyRealmValue>") }
        case .dictionary(let map):
            nested { $0.print(entries: map.anyEntries, "Map<String, AnyRealmValue>") }
        default: text += value.description
        }
    }

    /// Prints a frozen value. The entries of a dictionary are in key order.
    mutating func print(_ value: FrozenAnyValue) {
        switch value {
        case .data(let value): print(any: value)
        case .date(let value): text += value.printed  // may be NaN, which can't be stored
        case .object(let object): print(object.table.schema.type, object.row, of: object.table)
        case .list(let values): nested { $0.print(values, "List<FrozenAnyValue>") }
        case .dictionary(let values):
            let entries: [(key: String, value: Any?)] =
                values.sorted { StoredText.precedes($0.key, $1.key) }
                .map { (key: $0.key, value: $0.value) }
            nested { $0.print(entries: entries, "Map<String, FrozenAnyValue>") }
        default: text += AnyRealmValue.fromEngine(value.engineValue).description
        }
    }

    /// Prints a frozen object like an accessor of its row. The limits apply to all that is printed.
    mutating func print<Model: ObjectBase>(
        _ type: Model.Type, _ row: ObjectKey, of table: FrozenTable
    ) {
        var start = self
        start.text = ""
        var end = table.compute(type, row) { object in  // may run twice
            var printer = start
            printer.print(object)
            return printer
        }
        let printed = end.text
        end.text = ""
        swap(&end.text, &text)
        end.text += printed
        self = end
    }

    /// Prints an `AnyRealmValue` list or dictionary, unless it is nested too deeply.
    private mutating func nested(_ body: (inout ObjectPrinter) -> Void) {
        guard anyDepth < ObjectPrinter.maximumDepth else {
            text += "<maximum depth exceeded>"
            return
        }
        anyDepth += 1
        body(&self)
        anyDepth -= 1
    }

    /// Returns how many elements of a collection to print.
    private mutating func shownCount(of count: Int) -> Int {
        let left = ObjectPrinter.maximumAllElementCount - elementCount
        let shown = min(count, ObjectPrinter.maximumElementCount, left)
        elementCount += shown
        return shown
    }

    mutating func indented(_ body: (inout ObjectPrinter) -> Void) {
        let outer = indentation
        indentation += "    "
        body(&self)
        indentation = outer
    }
}
