/// A buffer for writing JSON as UTF-8.
struct JSONText {
    private(set) var bytes: [UInt8] = []

    var count: Int { bytes.count }

    /// Returns the written bytes and empties the buffer.
    mutating func take() -> [UInt8] {
        let taken = bytes
        bytes = []
        bytes.reserveCapacity(taken.count)
        return taken
    }

    mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { bytes += $0 }
    }

    /// Appends text that is already JSON, such as a number.
    mutating func raw(_ text: String) { bytes += text.utf8 }

    /// Appends a string, escaping only quotation marks, backslashes and control characters.
    mutating func string(_ text: String) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { buffer in
            var start = 0
            for (index, byte) in buffer.enumerated()
            where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                bytes += buffer[start..<index]
                start = index + 1
                escape(byte)
            }
            bytes += buffer[start...]
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0..<0x20:
            raw("u00")
            bytes.append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
            raw(String(byte & 0xF, radix: 16))
        default: bytes.append(byte)
        }
    }

    /// Appends a member's key with its colon, preceded by a comma unless it is the first.
    mutating func key(_ name: String, isFirst: Bool = false) {
        if !isFirst { raw(",") }
        string(name)
        raw(":")
    }
}
