internal import Regnum
internal import RegnumStore

/// A parsed JSON value. Numbers stay text, so that none loses digits, and the members of objects
/// keep their order.
enum JSONNode {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONNode])
    case object([Member])

    struct Member {
        let key: String
        let value: JSONNode
    }

    /// A short description of the value for messages.
    var shown: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let text): "the number \(text.prefix(40))"
        case .string(let text): "the string \"\(text.shortened)\""
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// A JSON syntax error: the end of a message, and an offset in bytes from the start of the text.
struct JSONProblem: Error {
    let text: String
    let offset: Int
}

/// A parser for a text that consists of a single JSON value.
///
/// Strings must be well-formed Unicode, members may have any keys, and the nesting must not exceed
/// `Limits.maximumInputLevel`. Time and memory are linear in the text.
struct JSONReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    static func read(_ bytes: ArraySlice<UInt8>) throws(JSONProblem) -> JSONNode {
        var reader = JSONReader(bytes)
        let node = try reader.value()
        reader.skipSpace()
        guard reader.position == bytes.endIndex else {
            throw reader.problem("unexpected text after the value")
        }
        return node
    }

    private func problem(_ text: String) -> JSONProblem {
        JSONProblem(text: text, offset: position - bytes.startIndex)
    }

    /// The byte at the position; 0, which never occurs in JSON, at the end.
    private var next: UInt8 { position < bytes.endIndex ? bytes[position] : 0 }

    private mutating func skipSpace() {
        while next == 0x20 || next == 0x09 || next == 0x0A || next == 0x0D { position += 1 }
    }

    /// An array or object whose end hasn't been read.
    private struct Container {
        var elements: [JSONNode] = []
        var members: [JSONNode.Member] = []
        /// The key of the next member; `nil` in an array.
        var key: String?
    }

    /// Reads a value. Not recursive, because a debug build uses more than a kilobyte of stack for
    /// each level.
    private mutating func value() throws(JSONProblem) -> JSONNode {
        var open: [Container] = []
        while true {
            skipSpace()
            let node: JSONNode
            switch next {
            case UInt8(ascii: "{"):
                try enter(open.count)
                if next != UInt8(ascii: "}") {
                    open.append(Container(key: try key()))
                    continue
                }
                position += 1
                node = .object([])
            case UInt8(ascii: "["):
                try enter(open.count)
                if next != UInt8(ascii: "]") {
                    open.append(Container())
                    continue
                }
                position += 1
                node = .array([])
            default: node = try scalar()
            }
            if let whole = try close(node, &open) { return whole }
        }
    }

    /// Adds a value to the innermost array or object, and that to the one around it if the value
    /// was its last. Returns the outermost one if it ends.
    private mutating func close(
        _ node: JSONNode, _ open: inout [Container]
    ) throws(JSONProblem) -> JSONNode? {
        var node = node
        while let last = open.indices.last {
            skipSpace()
            let key = open[last].key
            if let key {
                open[last].members.append(JSONNode.Member(key: key, value: node))
            } else {
                open[last].elements.append(node)
            }
            switch next {
            case UInt8(ascii: ","):
                position += 1
                if key != nil { open[last].key = try self.key() }
                return nil
            case UInt8(ascii: "}") where key != nil: node = .object(open[last].members)
            case UInt8(ascii: "]") where key == nil: node = .array(open[last].elements)
            default:
                throw problem(
                    "expected a comma or the end of the \(key == nil ? "array" : "object")")
            }
            position += 1
            open.removeLast()
        }
        return node
    }

    private mutating func scalar() throws(JSONProblem) -> JSONNode {
        switch next {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"):
            try word("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try word("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try word("null")
            return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default:
            throw problem(position < bytes.endIndex ? "expected a value" : "missing value")
        }
    }

    private mutating func word(_ text: StaticString) throws(JSONProblem) {
        let count = text.utf8CodeUnitCount
        let end = min(position + count, bytes.endIndex)
        let isSame = text.withUTF8Buffer { bytes[position..<end].elementsEqual($0) }
        guard isSame else { throw problem("expected a value") }
        position = end
    }

    /// Reads the beginning of an array or object in `depth` others, up to its first element.
    private mutating func enter(_ depth: Int) throws(JSONProblem) {
        position += 1
        if depth >= Limits.maximumInputLevel {
            throw problem(
                "arrays and objects are nested deeper than \(Limits.maximumInputLevel) levels")
        }
        skipSpace()
    }

    /// Reads the key of a member with its colon.
    private mutating func key() throws(JSONProblem) -> String {
        skipSpace()
        guard next == UInt8(ascii: "\"") else { throw problem("expected a key") }
        let key = try string()
        skipSpace()
        guard next == UInt8(ascii: ":") else { throw problem("expected a colon") }
        position += 1
        return key
    }

    private mutating func number() throws(JSONProblem) -> JSONNode {
        let start = position
        if next == UInt8(ascii: "-") { position += 1 }
        if next == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if next == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if next | 0x20 == UInt8(ascii: "e") {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        return .number(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func digits() throws(JSONProblem) {
        guard next &- UInt8(ascii: "0") < 10 else { throw problem("expected a digit") }
        while next &- UInt8(ascii: "0") < 10 { position += 1 }
    }

    private mutating func string() throws(JSONProblem) -> String {
        position += 1
        var start = position
        var parts: [UInt8] = []
        while true {
            guard position < bytes.endIndex else { throw problem("unterminated string") }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                let tail = bytes[start..<position]
                if !parts.isEmpty { parts += tail }
                guard
                    let text = parts.isEmpty
                        ? String(validating: tail, as: UTF8.self)
                        : String(validating: parts, as: UTF8.self)
                else { throw problem("invalid UTF-8 in a string") }
                position += 1
                return text
            case UInt8(ascii: "\\"):
                parts += bytes[start..<position]
                try escape(into: &parts)
                start = position
            case 0..<0x20: throw problem("unescaped control character in a string")
            default: position += 1
            }
        }
    }

    private mutating func escape(into parts: inout [UInt8]) throws(JSONProblem) {
        position += 1
        let letter = next
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): parts.append(letter)
        case UInt8(ascii: "b"): parts.append(0x08)
        case UInt8(ascii: "f"): parts.append(0x0C)
        case UInt8(ascii: "n"): parts.append(0x0A)
        case UInt8(ascii: "r"): parts.append(0x0D)
        case UInt8(ascii: "t"): parts.append(0x09)
        case UInt8(ascii: "u"):
            var code = try codeUnit()
            if code >> 10 == 0xD800 >> 10, next == UInt8(ascii: "\\") {
                position += 1
                guard next == UInt8(ascii: "u") else { throw problem("unpaired surrogate") }
                position += 1
                let low = try codeUnit()
                guard low >> 10 == 0xDC00 >> 10 else { throw problem("unpaired surrogate") }
                code = 0x10000 + (code & 0x3FF) << 10 + low & 0x3FF
            }
            guard let scalar = Unicode.Scalar(code) else { throw problem("unpaired surrogate") }
            parts += String(scalar).utf8
        default: throw problem("invalid escape sequence")
        }
    }

    private mutating func codeUnit() throws(JSONProblem) -> UInt32 {
        let end = position + 4
        guard end <= bytes.endIndex,
            bytes[position..<end].allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
            let code = UInt32(String(decoding: bytes[position..<end], as: UTF8.self), radix: 16)
        else { throw problem("expected four hexadecimal digits") }
        position = end
        return code
    }
}
