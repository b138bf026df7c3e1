internal import RegnumEngine

/// A row of a snapshot, for its description.
private struct DumpedRow: DumpedObject {
    let table: FrozenTable
    let row: ObjectKey

    var schema: ClassSchema { table.schema }

    var identity: RowIdentity { RowIdentity(className: schema.name, row: row.rawValue) }

    func dumped(_ property: Int) -> DumpedProperty<DumpedRow> {
        switch schema.properties[property].shape {
        case .scalar:
            return .value(table.value(row, property))
        case .link(let type):
            return .link(
                table.link(row, property).map { DumpedRow(table: table.other(type), row: $0) })
        case .list(let element):
            let keys = table.list(row, property)
            let shown = keys.prefix(DumpLimits.elementCountMax)
            switch element {
            case .scalar:
                guard let elements = table.elements(property) else { return .values(0, []) }
                return .values(
                    keys.count,
                    shown.map { table.snapshot.root.value(elements, $0, ColumnKey(0)) ?? .null })
            case .object(let type):
                let other = table.other(type)
                return .objects(keys.count, shown.map { DumpedRow(table: other, row: $0) })
            }
        case .linkingObjects:
            return .hidden
        }
    }
}

extension Frozen: CustomStringConvertible {
    /// Class and properties, for logs: objects that it links to nested, five deep at most, of lists
    /// the first hundred elements, of long data the first bytes. Inverses are left out.
    public var description: String {
        var dump = ObjectDump()
        dump.write(DumpedRow(table: table, row: row))
        return dump.text
    }
}

extension FrozenResults: CustomStringConvertible {
    /// The class, the number of objects, and the first hundred of them.
    public var description: String {
        var dump = ObjectDump()
        let shown = query.firstKeys(DumpLimits.elementCountMax)
            .prefix(DumpLimits.elementCountMax)
        dump.list(count, Array(shown), -1) { [table] dump, row in
            dump.write(DumpedRow(table: table, row: row), depth: 1)
        }
        return "FrozenResults<\(table.schema.name)> (\(count)) \(dump.text)"
    }
}

extension FrozenValues: CustomStringConvertible {
    /// The number of values, and the first hundred of them.
    public var description: String {
        let shown = prefix(DumpLimits.elementCountMax).map { $0.engineValue.text }
        let rest = count > shown.count ? ", and \(count - shown.count) more" : ""
        return "FrozenValues<\(Element.self)> (\(count)) [\(shown.joined(separator: ", "))\(rest)]"
    }
}
