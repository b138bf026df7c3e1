internal import FoundationEssentials
internal import Regnum
internal import RegnumEngine

// Stored values as JSON, and back to the same bits. A new kind of value needs one more case in
// each.

extension JSONText {
    /// Appends the value of a column.
    ///
    /// - Parameter type: The type of the column.
    mutating func value(_ value: Value, of type: ScalarType) {
        switch value {
        case .null: raw("null")
        case .bool(let value): raw(value ? "true" : "false")
        case .int(let value): raw("\(value)")
        case .double(let value): number(value, isFloat: type == .float)
        case .string(let text): string(text)
        case .data(let bytes): string(Data(bytes).base64EncodedString())
        case .date(let seconds):
            // a date without a text is written as its seconds since 2001
            if let text = DateText.text(seconds) {
                string(text)
            } else {
                number(seconds, isFloat: false)
            }
        case .uuid, .objectId: string(value.keyText)
        case .decimal(let bits):
            let text = bits.text
            string(
                DecimalBits(text: text) == bits
                    ? text : "bits:" + bits.high.hexadecimal + bits.low.hexadecimal)
        case .any: raw("null")  // written by `RowExport.any`, with its contents
        }
    }

    private mutating func number(_ value: Double, isFloat: Bool) {
        if value.isNaN {
            string(
                value.bitPattern == Double.nan.bitPattern
                    ? "NaN" : "NaN:" + value.bitPattern.hexadecimal)
        } else if value.isInfinite {
            string(value < 0 ? "-Infinity" : "Infinity")
        } else if isFloat, Double(Float(value)).bitPattern == value.bitPattern {
            raw("\(Float(value))")
        } else {
            raw("\(value)")
        }
    }

}

extension JSONNode {
    /// Returns the stored value for the JSON, or `nil` for null and values of another type.
    func value(of type: ScalarType) -> Value? {
        switch (type.valueType, self) {
        case (.bool, .bool(let value)): .bool(value)
        case (.int, .number(let text)): Self.integer(text).map { .int($0) }
        case (.double, _): number(isFloat: type == .float).map { .double($0) }
        case (.string, .string(let text)): .string(text)
        case (.data, .string(let text)):
            Data(base64Encoded: text).map { Value.data(Array($0)) }
        case (.date, .string(let text)):
            (DateText.seconds(text) ?? number(isFloat: false)).map { .date($0) }
        case (.date, .number): number(isFloat: false).map { .date($0) }
        case (.uuid, .string(let text)): UUID(uuidString: text)?.engineValue
        case (.objectId, .string(let text)): ObjectId(text)?.engineValue
        case (.decimal, .string(let text)): Self.decimal(text).map { .decimal($0) }
        case (.decimal, .number(let text)): DecimalBits(given: text).map { .decimal($0) }
        default: nil
        }
    }

    /// Returns the integer that a number in any notation (`10`, `10.0`, `1e1`) is equal to. Returns
    /// `nil` for fractions and for integers of more than 64 bits.
    private static func integer(_ text: String) -> Int64? {
        if let value = Int64(text) { return value }
        let parts = text.utf8.split(maxSplits: 1) { $0 | 0x20 == UInt8(ascii: "e") }
        guard let mantissa = parts.first else { return nil }
        // the number is its digits, without zeros around them, times a power of ten
        var digits: [UInt8] = []
        var power = parts.count > 1 ? exponent(parts[1]) : 0
        var isFraction = false
        for byte in mantissa where byte != UInt8(ascii: "-") {
            if byte == UInt8(ascii: ".") {
                isFraction = true
                continue
            }
            if isFraction { power -= 1 }
            if !digits.isEmpty || byte != UInt8(ascii: "0") { digits.append(byte) }
        }
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            power += 1
        }
        if digits.isEmpty { return 0 }
        guard power >= 0, digits.count + power <= 19 else { return nil }
        digits += Array(repeating: UInt8(ascii: "0"), count: power)
        let sign = text.utf8.first == UInt8(ascii: "-") ? "-" : ""
        return Int64(sign + String(decoding: digits, as: UTF8.self))
    }

    /// Returns an exponent with an optional sign. Large ones are reduced to a number that is still
    /// larger than the digits of a line.
    private static func exponent(_ text: Substring.UTF8View) -> Int {
        var magnitude = 0
        for byte in text where byte >= UInt8(ascii: "0") {
            magnitude = min(magnitude * 10 + Int(byte - UInt8(ascii: "0")), 1 << 40)
        }
        return text.first == UInt8(ascii: "-") ? -magnitude : magnitude
    }

    private func number(isFloat: Bool) -> Double? {
        switch self {
        case .number(let text):
            let value = isFloat ? Float(text).map { Double($0) } : Double(text)
            return value.flatMap { $0.isFinite ? $0 : nil }
        case .string("NaN"): return .nan
        case .string("Infinity"): return .infinity
        case .string("-Infinity"): return -.infinity
        case .string(let text) where text.hasPrefix("NaN:") && text.utf8.count == 20:
            guard let bits = UInt64(text.dropFirst(4), radix: 16) else { return nil }
            let value = Double(bitPattern: bits)
            return value.isNaN ? value : nil
        default: return nil
        }
    }

    private static func decimal(_ text: String) -> DecimalBits? {
        guard text.hasPrefix("bits:") else { return DecimalBits(given: text) }
        let digits = text.dropFirst(5)
        guard digits.utf8.count == 32, let high = UInt64(digits.prefix(16), radix: 16),
            let low = UInt64(digits.suffix(16), radix: 16)
        else { return nil }
        return DecimalBits(high: high, low: low)
    }
}
