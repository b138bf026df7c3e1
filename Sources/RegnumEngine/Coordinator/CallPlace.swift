/// The source location of a call.
package struct CallPlace: Sendable, Equatable, CustomStringConvertible {
    package let file: StaticString
    package let line: UInt

    package init(file: StaticString, line: UInt) {
        self.file = file
        self.line = line
    }

    /// Module, file and line, as shown in messages about misuse.
    package var description: String { "\(file):\(line)" }

    package static func == (a: CallPlace, b: CallPlace) -> Bool {
        a.line == b.line && a.description == b.description
    }
}
