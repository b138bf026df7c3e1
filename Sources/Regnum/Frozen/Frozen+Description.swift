internal import RegnumEngine

extension Frozen: CustomStringConvertible {
    /// The properties with their values, one per line, like the description of a confined object:
    /// at most 5 levels of linked objects and 100 elements of a list, without inverses. If the
    /// object can't be read, the description contains the error.
    public var description: String {
        ReadScope.describe(table.schema.name) {
            table.compute(Model.self, row) { $0.description }
        }
    }
}

/// A frozen object of any class.
protocol FrozenRow {
    func print(to printer: inout ObjectPrinter)
}

extension Frozen: FrozenRow {
    func print(to printer: inout ObjectPrinter) { printer.print(Model.self, row, of: table) }
}

extension FrozenResults: CustomStringConvertible {
    /// The objects with their positions, one per line, at most 100.
    public var description: String {
        let name = "FrozenResults<\(table.schema.name)>"
        return ReadScope.describe(name) {
            var printer = ObjectPrinter()
            let keys = query.firstKeys(ObjectPrinter.maximumElementCount)
            table.computeAll(Model.self) { object in
                printer.printItems(count, name) { count in
                    keys.prefix(count).enumerated().lazy.map {
                        (label: "\($0.offset)", value: object($0.element))
                    }
                }
            }
            return printer.text
        }
    }
}

extension FrozenValues: CustomStringConvertible {
    /// The values with their positions, one per line, at most 100.
    public var description: String {
        let name = "FrozenValues<\(Element.self)>"
        return ReadScope.describe(name) {
            ObjectPrinter.text { $0.print(self, name) }
        }
    }
}

extension Snapshot: CustomStringConvertible {
    /// The version, as in `Snapshot(version: 3)`.
    public var description: String { "Snapshot(version: \(version))" }
}
