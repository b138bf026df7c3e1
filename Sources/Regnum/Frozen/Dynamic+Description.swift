internal import RegnumEngine

extension DynamicObject: CustomStringConvertible {
    /// The class and its properties, one per line; for links, only the class of the linked object.
    public var description: String {
        if case .ended = store.core.state { return "DynamicObject of a transaction that has ended" }
        let className = store.name(of: table)
        guard !isInvalidated else { return "\(className) { deleted }" }
        return ObjectPrinter.text { printer in
            let properties = store.properties(of: table).sorted { $0.key < $1.key }
            printer.print(className, properties, \.key.wrappedValue) {
                $0.print(any: store.read($1.value, table, row))
            }
        }
    }
}

/// A collection accessed using only the stored schema.
protocol DynamicCollection {
    func print(to printer: inout ObjectPrinter)
}

extension DynamicList: DynamicCollection, CustomStringConvertible {
    /// The elements with their positions, one per line; for objects, only their classes. Shows at
    /// most 100 elements, and 5 levels of nested collections.
    public var description: String { place.description(of: self) }

    func print(to printer: inout ObjectPrinter) { printer.print(self, "DynamicList") }
}

extension DynamicMutableSet: DynamicCollection, CustomStringConvertible {
    /// The elements with their positions, one per line; for objects, only their classes. Shows at
    /// most 100 elements.
    public var description: String { place.description(of: self) }

    func print(to printer: inout ObjectPrinter) { printer.print(self, "DynamicMutableSet") }
}

extension DynamicMap: DynamicCollection, CustomStringConvertible {
    /// The values with their keys, one per line; for objects, only their classes. Shows at most 100
    /// entries, and 5 levels of nested collections.
    public var description: String { place.description(of: self) }

    func print(to printer: inout ObjectPrinter) {
        printer.print(entries: Array(self), "DynamicMap")
    }
}

extension DynamicPlace {
    fileprivate func description(of collection: some DynamicCollection) -> String {
        if case .ended = store.core.state {
            return "\(type(of: collection)) of a transaction that has ended"
        }
        if isInvalidated { return "\(type(of: collection)) { deleted }" }
        return ObjectPrinter.text { collection.print(to: &$0) }
    }
}
