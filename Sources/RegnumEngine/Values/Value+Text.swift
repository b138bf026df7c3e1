internal import RegnumStore

extension Value {
    /// The value as the `key` of an error: strings without quotes.
    package var bareKeyText: String {
        if case .string(let text) = self { text } else { keyText }
    }

    /// The value as error messages show it. Long strings are truncated.
    package var keyText: String {
        switch self {
        case .null: return "nil"
        case .bool(let x): return "\(x)"
        case .int(let x): return "\(x)"
        case .double(let x), .date(let x): return "\(x)"
        case .string(let x): return x.shown
        case .data(let x): return "\(x.count) bytes"
        case .uuid(let x):
            let digits = Array(hexadecimal(x.high, 16) + hexadecimal(x.low, 16))
            let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
            return parts.joined(separator: "-").uppercased()
        case .decimal(let x): return x.text
        case .any: return anyContent?.text ?? "nil"
        case .objectId(let x):
            return hexadecimal(x.high, 16) + hexadecimal(UInt64(x.low), 8)
        }
    }
}

extension String {
    /// The quoted string as error messages show it. Long strings are truncated, by scalars because
    /// a single character can be megabytes long.
    package var shown: String {
        utf8.count > 400 ? "\"\(String(unicodeScalars.prefix(100)))…\"" : "\"\(self)\""
    }
}

private func hexadecimal(_ number: UInt64, _ digitCount: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
}
