import Dispatch
import Glibc

/// Prints lines on standard output, unbuffered. Pieces of up to 4,096 bytes are written atomically,
/// so that the reader of the pipe never sees part of a line of a killed child.
func printLines(_ lines: some Sequence<String>) {
    var piece: [UInt8] = []
    for line in lines {
        if piece.count + line.utf8.count + 1 > 4096 {
            writeAll(piece, to: STDOUT_FILENO)
            piece = []
        }
        piece += line.utf8
        piece.append(UInt8(ascii: "\n"))
    }
    writeAll(piece, to: STDOUT_FILENO)
}

func printLine(_ line: String) {
    printLines(CollectionOfOne(line))
}

func printError(_ sentence: String) {
    writeAll(Array("\(sentence)\n".utf8), to: STDERR_FILENO)
}

private func writeAll(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno != EINTR { exit(2) }
        rest = rest.dropFirst(max(0, count))
    }
}

/// Standard input, which stays open on the driver's side for as long as the driver lives.
enum StandardInput {
    /// Blocks until the next line is available and returns it; `nil` at the end. For one caller at
    /// a time.
    static func readLine() -> String? {
        Swift.readLine(strippingNewline: true)
    }

    /// Returns the lines as they arrive, read on a thread of their own.
    static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            DispatchQueue(label: "standard input").async {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }

    /// Exits the process when the driver is gone, for whatever reason.
    static func exitAtEnd() {
        DispatchQueue(label: "standard input").async {
            while readLine() != nil {}
            _exit(3)
        }
    }
}

/// Returns the nanoseconds of the clock that all processes of the machine share.
func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
