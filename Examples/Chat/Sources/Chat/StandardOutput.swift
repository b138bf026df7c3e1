import Foundation

/// Standard output without buffering: printed text has left the process.
enum StandardOutput {
    /// Writes lines, each followed by a line break.
    ///
    /// Throws `OutputClosed` if the reader has closed it, `ChatFailure` if writing fails.
    static func print(_ lines: [String]) throws {
        guard !lines.isEmpty else { return }
        try write(lines.joined(separator: "\n") + "\n")
    }

    static func print(_ line: String) throws {
        try print([line])
    }

    /// Writes text verbatim.
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
                    "Can't write to standard output: \(String(cString: strerror(errno))).")
            }
        }
    }
}

/// Writes to standard error. Failures are ignored.
func printToStandardError(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
}
