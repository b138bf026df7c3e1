internal import RegnumEngine

// Values of any type: an object with one member, whose key is the kind of value.

extension RowExport {
    /// Writes a value with its contents.
    ///
    /// - Parameters:
    ///   - row: the row of `table` that has the value.
    ///   - list: the name of the list with the contents.
    mutating func any(
        _ value: Value, of row: ObjectKey, _ table: TableSchema, _ list: String
    ) {
        guard let content = value.anyContent else { return text.raw("null") }
        switch content {
        case .bool(let x): tagged("bool", .bool(x))
        case .int(let x): tagged("int", .int(x))
        case .float(let x): tagged("float", .double(Double(x)), isFloat: true)
        case .double(let x): tagged("double", .double(x))
        case .decimal(let x): tagged("decimal", .decimal(x))
        case .string(let x): tagged("string", .string(x))
        case .data(let x): tagged("data", .data(x))
        case .date(let x): tagged("date", .date(x))
        case .objectId(let x): tagged("objectId", .objectId(x))
        case .uuid(let x): tagged("uuid", .uuid(x))
        case .link(let target, let object):
            let schema = classes[Int(target.rawValue)].table
            text.raw("{\"object\":{\"class\":")
            text.string(schema.name)
            text.raw(",\"key\":")
            self.object(object, schema)
            text.raw("}}")
        case .list:
            text.raw("{\"list\":[")
            items(of: row, table, list, isDictionary: false)
            text.raw("]}")
        case .dictionary:
            text.raw("{\"dictionary\":{")
            items(of: row, table, list, isDictionary: true)
            text.raw("}}")
        }
    }

    private mutating func tagged(_ kind: StaticString, _ value: Value, isFloat: Bool = false) {
        text.raw("{\"")
        text.raw(kind)
        text.raw("\":")
        text.value(value, isFloat: isFloat)
        text.raw("}")
    }

    private mutating func items(
        of row: ObjectKey, _ table: TableSchema, _ name: String, isDictionary: Bool
    ) {
        guard let list = table.list(named: name) else { return }
        let target = classes[Int(list.target.rawValue)].table
        for (index, element) in root.list(table.key, row, list.key).enumerated() {
            if isDictionary {
                var key = ""
                if case .string(let stored)? = root.value(target.key, element, .mapKey) {
                    key = stored
                }
                text.key(key, isFirst: index == 0)
            } else if index > 0 {
                text.raw(",")
            }
            any(
                root.value(target.key, element, .mapValue) ?? .null, of: element, target, "value[]")
        }
    }
}
