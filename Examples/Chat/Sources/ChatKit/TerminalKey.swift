/// A key as reported by terminals in raw mode (ECMA-48 sequences and control characters).
enum TerminalKey: Hashable, Sendable {
    case character(Unicode.Scalar)
    case enter, deleteBackward, deleteForward, endOfInput
    case left, right, up, down, home, end
    case deleteToEnd, deleteToStart, deleteWord, clearScreen
    case unknown

    /// Returns the key that `bytes` contain, and clears them; `nil`, without consuming anything, if
    /// more bytes are needed. To be called after each byte.
    static func take(from bytes: inout [UInt8]) -> TerminalKey? {
        guard let first = bytes.first, let key = key(first, bytes) else { return nil }
        bytes = []
        return key
    }

    private static func key(_ first: UInt8, _ bytes: [UInt8]) -> TerminalKey? {
        switch first {
        case 0x1B: escapeSequence(bytes)
        case 0..<0x20, 0x7F: control(first)
        case 0x20..<0x80: .character(Unicode.Scalar(first))
        default: scalar(bytes)
        }
    }

    private static func control(_ byte: UInt8) -> TerminalKey {
        switch byte {
        case 0x01: .home
        case 0x02: .left
        case 0x04: .endOfInput
        case 0x05: .end
        case 0x06: .right
        case 0x08, 0x7F: .deleteBackward
        case 0x09: .character(" ")
        case 0x0A, 0x0D: .enter
        case 0x0B: .deleteToEnd
        case 0x0C: .clearScreen
        case 0x0E: .down
        case 0x10: .up
        case 0x15: .deleteToStart
        case 0x17: .deleteWord
        default: .unknown
        }
    }

    /// Parses ESC [ parameters final, and ESC O final; ESC with any other byte is an Alt key.
    private static func escapeSequence(_ bytes: [UInt8]) -> TerminalKey? {
        guard bytes.count >= 2 else { return nil }
        guard bytes[1] == UInt8(ascii: "[") || bytes[1] == UInt8(ascii: "O") else {
            return .unknown
        }
        guard bytes.count >= 3, let final = bytes.last else { return nil }
        guard (0x40...0x7E).contains(final) else {
            // Longer than any key: give up instead of swallowing what is typed.
            return bytes.count < 16 ? nil : .unknown
        }
        switch final {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "C"): return .right
        case UInt8(ascii: "D"): return .left
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "~"):
            switch bytes[2] {
            case UInt8(ascii: "1"), UInt8(ascii: "7"): return .home
            case UInt8(ascii: "4"), UInt8(ascii: "8"): return .end
            case UInt8(ascii: "3"): return .deleteForward
            default: return .unknown
            }
        default: return .unknown
        }
    }

    private static func scalar(_ bytes: [UInt8]) -> TerminalKey? {
        let length =
            switch bytes[0] {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 1
            }
        guard bytes.count >= length else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self),
            let scalar = text.unicodeScalars.first
        else { return .character("\u{FFFD}") }
        // C1 control characters (U+0080 to U+009F), which take two bytes, are not allowed in
        // messages.
        return scalar.value < 0xA0 ? .unknown : .character(scalar)
    }
}
