internal import FoundationEssentials

/// A token of a predicate string.
struct PredicateToken: Equatable {
    enum Kind: Equatable {
        /// An identifier or keyword, with escapes resolved.
        case word(String)
        /// A number as written: `12`, `-3.5e2`, `0x1F`.
        case number(String)
        case string(String)
        /// Bytes: `B64"…"`, `binary(…)`.
        case data([UInt8])
        /// A date: `2026-11-27@10:30:00`, `T1700000000:0`.
        case date(seconds: Double)
        /// The text in the parentheses of `uuid(…)` or `oid(…)`.
        case identifier(kind: String, text: String)
        /// `$0`, `$K0`, `$name`, without the dollar sign.
        case variable(String)
        /// `%@`, `%K`, `%d` and others, without the percent sign.
        case placeholder(String)
        /// `@count`, `@links` and others, without the at sign.
        case function(String)
        case symbol(String)
        case end
    }

    let kind: Kind
    /// The offset of the first byte in the string.
    let offset: Int
    /// The text as written.
    let text: String
}

/// A mistake in a predicate string.
struct PredicateMistake: Error {
    let message: String
    /// The offset of the byte where it is.
    let offset: Int
}

/// Splits a predicate string into tokens.
struct PredicateLexer {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Returns all tokens, the last of which is `end`.
    ///
    /// - Complexity: O(n) for n bytes.
    static func tokens(_ text: String) throws(PredicateMistake) -> [PredicateToken] {
        var lexer = PredicateLexer(text)
        var tokens: [PredicateToken] = []
        while true {
            let token = try lexer.next()
            tokens.append(token)
            if token.kind == .end { return tokens }
        }
    }

    private mutating func next() throws(PredicateMistake) -> PredicateToken {
        while let byte = peek(), byte == 0x20 || (0x09...0x0D).contains(byte) { position += 1 }
        let start = position
        guard let byte = peek() else {
            return PredicateToken(kind: .end, offset: start, text: "")
        }
        let kind: PredicateToken.Kind
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            kind = .string(try string())
        case UInt8(ascii: "$"):
            position += 1
            kind = .variable(try name(after: "$", "a number or a name"))
        case UInt8(ascii: "@"):
            position += 1
            kind = .function(try name(after: "@", "a name such as count"))
        case UInt8(ascii: "%"):
            position += 1
            kind = .placeholder(try placeholder())
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            kind = try numberOrDate()
        default:
            if let timestamp = try timestamp() {
                kind = timestamp
            } else if byte.startsWord || byte == UInt8(ascii: "\\") {
                kind = try word()
            } else {
                kind = .symbol(try symbol())
            }
        }
        return PredicateToken(
            kind: kind, offset: start,
            text: String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private func peek(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    // MARK: Words

    private mutating func word() throws(PredicateMistake) -> PredicateToken.Kind {
        let start = position
        let name = try name(after: "", "a name")
        let lowercase = name.lowercased()
        if position < bytes.count, bytes[position] == UInt8(ascii: "("),
            lowercase == "uuid" || lowercase == "oid"
        {
            position += 1
            let first = position
            while let byte = peek(), byte != UInt8(ascii: ")") { position += 1 }
            let text = String(decoding: bytes[first..<position], as: UTF8.self)
            guard consume(")") else { throw mistake("\(name)( has no closing ).", at: start) }
            return .identifier(kind: lowercase, text: text)
        }
        if lowercase == "b64", let quote = peek(), quote == 0x22 || quote == 0x27 {
            let text = try string()
            guard let data = Data(base64Encoded: text) else {
                throw mistake("\"\(text.shortened)\" isn't valid Base64.", at: start)
            }
            return .data([UInt8](data))
        }
        return .word(name)
    }

    /// Reads a name. A backslash before a space or a sign makes it part of the name.
    private mutating func name(
        after sign: String, _ expected: String
    ) throws(PredicateMistake) -> String {
        var name: [UInt8] = []
        while let byte = peek() {
            if byte == UInt8(ascii: "\\"), let escaped = peek(1) {
                name.append(escaped)
                position += 2
            } else if byte.continuesWord || (!sign.isEmpty && byte.startsWord) {
                name.append(byte)
                position += 1
            } else {
                break
            }
        }
        guard !name.isEmpty else {
            let place = sign.isEmpty ? "\\" : sign
            throw mistake("Expected \(expected) after \(place).", at: position)
        }
        return String(decoding: name, as: UTF8.self)
    }

    private mutating func placeholder() throws(PredicateMistake) -> String {
        if consume("@") { return "@" }
        let start = position
        while let byte = peek(), byte.isLetter { position += 1 }
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        let known = ["K", "d", "D", "i", "u", "U", "ld", "lu", "lld", "llu", "zd", "zu"]
        guard (known + ["f", "g", "e", "lf", "s"]).contains(name) else {
            throw mistake(
                "%\(name.shortened) isn't a placeholder: use %@ for values, %K for paths.",
                at: start - 1)
        }
        return name == "K" ? name : "@"
    }

    // MARK: Symbols

    private mutating func symbol() throws(PredicateMistake) -> String {
        let two = ["==", "!=", "<>", "<=", "=<", ">=", "=>", "&&", "||"]
        if let next = peek(1) {
            let text = String(decoding: [bytes[position], next], as: UTF8.self)
            if two.contains(text) {
                position += 2
                return text
            }
        }
        guard bytes[position] < 0x80 else {
            throw mistake("Expected a name or a value.", at: position)
        }
        let text = String(Unicode.Scalar(bytes[position]))
        guard "=<>!(){}[],.:+-*/#".contains(text) else {
            throw mistake("\(text) can't be used here.", at: position)
        }
        position += 1
        return text
    }

    // MARK: Strings

    private mutating func string() throws(PredicateMistake) -> String {
        let start = position
        let quote = bytes[position]
        position += 1
        var text: [UInt8] = []
        while let byte = peek(), byte != quote {
            position += 1
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                continue
            }
            guard let escaped = peek() else { break }
            position += 1
            switch escaped {
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "0"): text.append(0x00)
            case UInt8(ascii: "u"): text.append(contentsOf: try unicodeEscape())
            default: text.append(escaped)
            }
        }
        guard peek() == quote else {
            throw mistake("The string has no closing \(Unicode.Scalar(quote)).", at: start)
        }
        position += 1
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads the digits of `\uXXXX`. Two escapes that are a surrogate pair give one character.
    private mutating func unicodeEscape() throws(PredicateMistake) -> String.UTF8View {
        let start = position - 2
        var units = [try hexadecimal(start)]
        if UTF16.isLeadSurrogate(units[0]), peek() == UInt8(ascii: "\\"),
            peek(1) == UInt8(ascii: "u")
        {
            position += 2
            units.append(try hexadecimal(start))
        }
        let text = String(decoding: units, as: UTF16.self)
        if text.unicodeScalars.contains("\u{FFFD}"), units != [0xFFFD] {
            throw mistake("The escape sequence isn't a Unicode character.", at: start)
        }
        return text.utf8
    }

    private mutating func hexadecimal(_ start: Int) throws(PredicateMistake) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue
            else {
                throw mistake("\\u must be followed by four hexadecimal digits.", at: start)
            }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }

    // MARK: Numbers and dates

    private mutating func numberOrDate() throws(PredicateMistake) -> PredicateToken.Kind {
        if let date = try date() { return date }
        let start = position
        if bytes[position] == UInt8(ascii: "0"), peek(1).map({ $0 | 0x20 }) == UInt8(ascii: "x") {
            position += 2
            while let byte = peek(), Character(Unicode.Scalar(byte)).isHexDigit { position += 1 }
        } else {
            digits()
            if peek() == UInt8(ascii: "."), peek(1)?.isDigit ?? false {
                position += 1
                digits()
            }
            if peek().map({ $0 | 0x20 }) == UInt8(ascii: "e") {
                let sign = peek(1) == UInt8(ascii: "-") || peek(1) == UInt8(ascii: "+") ? 1 : 0
                if peek(1 + sign)?.isDigit ?? false {
                    position += 1 + sign
                    digits()
                }
            }
            if peek() == UInt8(ascii: "f"), !(peek(1)?.continuesWord ?? false) { position += 1 }
        }
        if peek()?.continuesWord ?? false {
            while peek()?.continuesWord ?? false { position += 1 }
            let text = String(decoding: bytes[start..<position], as: UTF8.self)
            throw mistake("\(text.shortened) is neither a number nor a name.", at: start)
        }
        return .number(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func digits() {
        while peek()?.isDigit ?? false { position += 1 }
    }

    /// Reads `YYYY-MM-DD@HH:MM:SS` or the same with a `T`, both in UTC, and nanoseconds after a
    /// colon or a fraction after a point.
    private mutating func date() throws(PredicateMistake) -> PredicateToken.Kind? {
        let start = position
        let pattern = "0000-00-00@00:00:00".utf8
        guard position + pattern.count <= bytes.count else { return nil }
        for (expected, byte) in zip(pattern, bytes[position...]) {
            let isMatch =
                switch expected {
                case UInt8(ascii: "0"): byte.isDigit
                case UInt8(ascii: "@"): byte == expected || byte == UInt8(ascii: "T")
                default: byte == expected
                }
            if !isMatch { return nil }
        }
        var text = String(decoding: bytes[position..<position + pattern.count], as: UTF8.self)
        position += pattern.count
        text = String(text.map { $0 == "@" ? "T" : $0 })
        if peek(1)?.isDigit ?? false, peek() == UInt8(ascii: ":") || peek() == UInt8(ascii: ".") {
            let isFraction = peek() == UInt8(ascii: ".")
            position += 1
            let first = position
            digits()
            var fraction = String(decoding: bytes[first..<position], as: UTF8.self)
            if !isFraction {
                guard fraction.utf8.count <= 9 else {
                    throw mistake(
                        "A date has a colon and up to 999999999 nanoseconds at its end.", at: start)
                }
                fraction = String(repeating: "0", count: max(0, 9 - fraction.count)) + fraction
            }
            text += "." + fraction
        }
        if peek() == UInt8(ascii: "Z") { position += 1 }
        guard let seconds = DateText.seconds(text + "Z") else {
            throw mistake("\(text.shortened) isn't a date.", at: start)
        }
        return .date(seconds: seconds)
    }

    /// Reads `T<seconds>:<nanoseconds>`, counted from 1970.
    private mutating func timestamp() throws(PredicateMistake) -> PredicateToken.Kind? {
        guard peek() == UInt8(ascii: "T") else { return nil }
        var end = position + 1
        func skipNumber() -> Int64? {
            let first = end
            if end < bytes.count, bytes[end] == UInt8(ascii: "-") { end += 1 }
            while end < bytes.count, bytes[end].isDigit { end += 1 }
            return Int64(String(decoding: bytes[first..<end], as: UTF8.self))
        }
        guard let seconds = skipNumber(), end < bytes.count, bytes[end] == UInt8(ascii: ":")
        else { return nil }
        end += 1
        let (since2001, isTooEarly) = seconds.subtractingReportingOverflow(978_307_200)
        guard let nanoseconds = skipNumber(), (-999_999_999...999_999_999).contains(nanoseconds),
            !isTooEarly
        else {
            throw mistake(
                "A timestamp is T, seconds, a colon and up to 999999999 nanoseconds.", at: position)
        }
        position = end
        return .date(seconds: DateText.seconds(Int(since2001), Int(nanoseconds)))
    }

    private func mistake(_ message: String, at offset: Int) -> PredicateMistake {
        PredicateMistake(message: message, offset: offset)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    fileprivate var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

    /// Whether a name can start with the byte. All of UTF-8 beyond ASCII can be in names.
    fileprivate var startsWord: Bool {
        isLetter || self == UInt8(ascii: "_") || self >= 0x80
    }

    fileprivate var continuesWord: Bool {
        startsWord || isDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "$")
    }
}
