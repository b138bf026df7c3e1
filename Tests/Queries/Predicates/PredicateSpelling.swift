import FoundationEssentials
import Regnum
import RegnumTestSupport

@testable import RegnumTestModels

/// A value passed with a predicate string of the differential test.
enum PlainArgument: Sendable {
    case value(PlainValue)
    case values([PlainValue])
    case text(String)
    case position(Int)
    case node(Int)
    case nodes([Int])
    case area(PlainArea)

    /// - Parameter find: Returns the object with an id, as the view has it.
    func value(_ find: (Int) -> Any?) -> Any? {
        switch self {
        case .value(let value): Self.plain(value)
        case .values(let values): values.map { Self.plain($0) }
        case .text(let text): text
        case .position(let position): position
        case .node(let id): find(id)
        case .nodes(let ids): ids.map { find($0) }
        case .area(let area): area.shape
        }
    }

    private static func plain(_ value: PlainValue) -> Any? {
        switch value {
        case .null: nil
        case .bool(let flag): flag
        case .int(let number): number
        case .double(let number): number
        case .text(let text): text
        case .bytes(let bytes) where bytes.count == 16: UUID.make(value)
        case .bytes(let bytes) where bytes.count == 12: ObjectId.make(value)
        case .bytes: Data.make(value)
        case .date: Date.make(value)
        case .any: AnyRealmValue.make(value)
        }
    }
}

/// The random spelling of the parts of a predicate string.
struct PredicateSpelling {
    /// The way to refer to the arguments.
    enum Style: CaseIterable, Sendable { case placeholder, position, name }

    var random: SeededRandom
    let style: Style
    private(set) var arguments: [PlainArgument] = []

    init(random: SeededRandom) {
        self.random = random
        style = self.random.oneOf(Style.allCases)
    }

    /// Adds an argument and returns its spelling.
    mutating func argument(_ argument: PlainArgument) -> String {
        arguments.append(argument)
        return switch style {
        case .placeholder: "%@"
        case .position: "$\(arguments.count - 1)"
        case .name: "$a\(arguments.count - 1)"
        }
    }

    /// Returns a keyword in some case.
    mutating func word(_ word: String) -> String {
        random.oneOf([word, word.lowercased(), word.capitalized])
    }

    mutating func gap() -> String { random.oneOf(["", " ", " ", "\n\t "]) }

    mutating func comparison(_ comparison: PlainOperator, isMirrored: Bool = false) -> String {
        let comparison = isMirrored ? comparison.mirrored : comparison
        return switch comparison {
        case .equal: random.oneOf(["==", "="])
        case .notEqual: random.oneOf(["!=", "<>"])
        case .less: "<"
        case .lessOrEqual: random.oneOf(["<=", "=<"])
        case .greater: ">"
        case .greaterOrEqual: random.oneOf([">=", "=>"])
        }
    }

    mutating func text(_ match: PlainText, ignoresCase: Bool) -> String {
        let operation =
            switch match {
            case .contains: word("CONTAINS")
            case .starts: word("BEGINSWITH")
            case .ends: word("ENDSWITH")
            case .like: word("LIKE")
            case .equals: comparison(.equal)
            case .notEquals: comparison(.notEqual)
            }
        return ignoresCase ? operation + random.oneOf(["[c]", "[C]"]) : operation
    }

    // MARK: Values

    /// Returns a value as a literal or an argument.
    mutating func value(_ value: PlainValue) -> String {
        if random.oneIn(3) { return argument(.value(value)) }
        return literal(value) ?? argument(.value(value))
    }

    mutating func values(_ values: [PlainValue]) -> String {
        if random.oneIn(3) { return argument(.values(values)) }
        return "{" + values.map { gap() + self.value($0) }.joined(separator: ",") + gap() + "}"
    }

    private mutating func literal(_ value: PlainValue) -> String? {
        switch value {
        case .null: return word(random.oneOf(["NULL", "NIL"]))
        case .bool(let flag):
            let word = word(flag ? "TRUE" : "FALSE")
            return random.oneIn(3) ? (flag ? "YES" : "NO") : word
        case .int(let number):
            if number >= 0, random.oneIn(4) { return "0x" + String(number, radix: 16) }
            return "\(number)" + random.oneOf(["", "", ".0", ".000"])
        case .double(let number):
            if number.isNaN || number.isInfinite { return "\(number)" }
            return "\(number)" + random.oneOf(["", "", "f"])
        case .text(let text): return quoted(text)
        case .bytes(let bytes) where bytes.count == 16: return "uuid(\(UUID.make(value)))"
        case .bytes(let bytes) where bytes.count == 12: return "oid(\(ObjectId.make(value)))"
        case .bytes:
            let text = "B64\"\(Data.make(value).base64EncodedString())\""
            return random.oneIn(2) ? text : "\(word("BINARY"))(\(text))"
        case .date(let seconds):
            let whole = Int(seconds.rounded(.down))
            let nanoseconds = Int((seconds - seconds.rounded(.down)) * 1e9)
            return "T\(whole + 978_307_200):\(nanoseconds)"
        case .any(.bool(let flag)): return literal(.bool(flag))
        case .any(.text(let text)): return literal(.text(text))
        case .any(.data(let bytes)):
            return "B64'\(Data(bytes).base64EncodedString())'"
        case .any(.date(let seconds)): return literal(.date(seconds))
        case .any(.oid(let byte)): return literal(.bytes(Array(repeating: byte, count: 12)))
        case .any(.uuid(let byte)): return literal(.bytes(Array(repeating: byte, count: 16)))
        case .any: return nil
        }
    }

    /// Returns a string literal.
    mutating func quoted(_ text: String) -> String {
        let quote: Unicode.Scalar = random.oneIn(2) ? "'" : "\""
        var result = String(Character(quote))
        for scalar in text.unicodeScalars {
            if scalar == quote || scalar == "\\" || scalar == "?" && random.oneIn(2) {
                result += "\\\(scalar)"
            } else if random.oneIn(4) {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        result.unicodeScalars.append(quote)
        return result
    }
}

extension PlainOperator {
    fileprivate var mirrored: PlainOperator {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}

extension String {
    /// The word with a capital at the beginning.
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst().lowercased() }
}
