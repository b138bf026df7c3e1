internal import FoundationEssentials
internal import RegnumEngine

// Literals.

extension PredicatePrinter {
    func literals(_ values: [Value]) throws(PredicateUnprintable) -> String {
        var texts: [String] = []
        for value in values { texts.append(try literal(value)) }
        return "{\(texts.joined(separator: ", "))}"
    }

    /// Returns a value as a literal that is read as the type of the property.
    func literal(_ value: Value) throws(PredicateUnprintable) -> String {
        switch value {
        case .null: return "nil"
        case .bool(let flag): return flag ? "true" : "false"
        case .int(let number): return "\(number)"
        case .double(let number): return number.literal
        case .decimal(let number): return number.text
        case .string(let text): return text.quoted
        case .data(let bytes): return literal(bytes)
        case .date(let seconds): return DateText.text(seconds) ?? "date(\(seconds.literal))"
        case .uuid: return "uuid(\(UUID.fromEngine(value).uuidString))"
        case .objectId: return "oid(\(ObjectId.fromEngine(value)))"
        case .any: return try literal(value.anyContent)
        }
    }

    func literal(_ bytes: [UInt8]) -> String { "B64\"\(Data(bytes).base64EncodedString())\"" }

    private func literal(_ content: AnyContent?) throws(PredicateUnprintable) -> String {
        switch content {
        case .bool(let flag): return flag ? "true" : "false"
        case .int(let number): return "\(number)"
        case .float(let number): return "float(\(number.literal))"
        case .double(let number): return number.literal
        case .decimal(let number): return "decimal(\(number.text))"
        case .string(let text): return text.quoted
        case .data(let bytes): return literal(bytes)
        case .date(let seconds): return try literal(.date(seconds))
        case .objectId(let bytes): return try literal(.objectId(bytes))
        case .uuid(let bytes): return try literal(.uuid(bytes))
        case .link(let table, let row): return try object(table, row)
        case .list, .dictionary, nil:
            throw PredicateUnprintable("an AnyRealmValue is compared with a collection")
        }
    }
}

extension BinaryFloatingPoint where Self: LosslessStringConvertible {
    /// The number as a literal; for a NaN, without its sign and payload.
    fileprivate var literal: String { isNaN ? "nan" : description }
}

extension String {
    /// The string as a literal in single quotes.
    var quoted: String {
        var result = String.UnicodeScalarView("'".unicodeScalars)
        for scalar in unicodeScalars {
            switch scalar {
            case "'", "\\":
                result.append("\\")
                result.append(scalar)
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\r": result.append(contentsOf: "\\r".unicodeScalars)
            case "\t": result.append(contentsOf: "\\t".unicodeScalars)
            case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}":
                let digits = String(scalar.value, radix: 16)
                let zeros = String(repeating: "0", count: 4 - digits.count)
                result.append(contentsOf: "\\u\(zeros)\(digits)".unicodeScalars)
            default: result.append(scalar)
            }
        }
        result.append("'")
        return String(result)
    }
}

extension Comparison {
    /// The operator.
    var text: String {
        switch self {
        case .equal: "=="
        case .notEqual: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}

extension TextMatch {
    /// The operator.
    var text: String {
        switch self {
        case .contains: "CONTAINS"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .like: "LIKE"
        case .equals: "=="
        }
    }
}

extension AggregateKind {
    /// The name of the function.
    var text: String {
        switch self {
        case .min: "@min"
        case .max: "@max"
        case .sum: "@sum"
        case .average: "@avg"
        }
    }
}

extension AnyKind {
    /// The name for `@type`.
    var text: String {
        switch self {
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .double: "double"
        case .decimal: "decimal"
        case .string: "string"
        case .data: "binary"
        case .date: "date"
        case .objectId: "objectid"
        case .uuid: "uuid"
        case .link: "link"
        case .list: "list"
        case .dictionary: "dictionary"
        }
    }
}
