import Foundation

/// Standard output, unbuffered: what is printed has left the process.
enum StandardOutput {
    /// Writes the lines, a line break after each.
    ///
    /// Throws `OutputClosed` if nobody reads any more, `ChatFailure` if it cannot be written.
    static func print(_ lines: [String]) throws {
        guard !lines.isEmpty else { return }
        try write(lines.joined(separator: "\n") + "\n")
    }

    static func print(_ line: String) throws {
        try print([line])
    }

    /// Writes text as it is.
    static func write(_ text: String) throws {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EPIPE {
                throw OutputClosed()
            } else if errno != EINTR {
                throw ChatFailure(
                    "Standard output cannot be written: \(String(cString: strerror(errno))).")
            }
        }
    }
}

/// Writes to standard error; nobody is told if that fails.
func printToStandardError(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
}
