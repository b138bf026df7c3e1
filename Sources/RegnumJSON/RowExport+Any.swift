internal import Regnum
internal import RegnumEngine
internal import RegnumStore

// Values of any type: an object with one member, whose key is the kind of value.

extension RowExport {
    /// Writes a value with its contents.
    ///
    /// - Parameters:
    ///   - row: The row of `table` that has the value.
    ///   - list: The name of the list with the contents.
    ///   - level: The number of lists and dictionaries of any type around it.
    mutating func any(
        _ value: Value, of row: ObjectKey, _ table: TableSchema, _ list: String, level: Int
    ) throws(Realm.Error) {
        guard let content = value.anyContent else { return text.raw("null") }
        switch content {
        case .link(let target, let object):
            let schema = try root.schema.anyTarget(target)
            guard root.contains(target, object) else { throw .missingRow(schema.name) }
            text.raw("{\"object\":{\"class\":")
            text.string(schema.name)
            text.raw(",\"key\":")
            try link(object, schema)
            text.raw("}}")
        case .list:
            text.raw("{\"list\":[")
            try items(of: row, table, list, isDictionary: false, level: level + 1)
            text.raw("]}")
        case .dictionary:
            text.raw("{\"dictionary\":{")
            try items(of: row, table, list, isDictionary: true, level: level + 1)
            text.raw("}}")
        default:
            guard let scalar = content.scalar else { return }
            text.raw("{\"\(scalar.type.rawValue)\":")
            text.value(scalar.value, of: scalar.type)
            text.raw("}")
        }
    }

    private mutating func items(
        of row: ObjectKey, _ table: TableSchema, _ name: String, isDictionary: Bool, level: Int
    ) throws(Realm.Error) {
        guard let list = table.list(named: name) else { return }
        if table.kind == .elements { try checkOwner(of: row, table, level: level) }
        let target = classes[Int(list.target.rawValue)].table
        for (index, element) in root.list(table.key, row, list.key).enumerated() {
            if isDictionary {
                text.key(try key(of: element, target), isFirst: index == 0)
            } else if index > 0 {
                text.raw(",")
            }
            try any(
                value(of: element, target, ColumnKey(rawValue: 0)), of: element, target, "value[]",
                level: level)
        }
    }
}
