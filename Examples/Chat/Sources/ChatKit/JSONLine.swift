/// Builds one JSON object on one line, with its members in the order in which they are added.
package struct JSONLine {
    private var text = "{"

    package init() {}

    package mutating func add(_ name: String, _ value: String) {
        begin(name)
        appendQuoted(value)
    }

    package mutating func add(_ name: String, _ value: some BinaryInteger) {
        begin(name)
        text += String(value)
    }

    package mutating func add(_ name: String, _ value: JSONLine) {
        begin(name)
        text += value.line
    }

    /// The object, without a line break.
    package var line: String { text + "}" }

    private mutating func begin(_ name: String) {
        if text.utf8.count > 1 { text += "," }
        appendQuoted(name)
        text += ":"
    }

    private mutating func appendQuoted(_ value: String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
