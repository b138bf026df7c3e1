import Dispatch
import Glibc

/// Prints lines on standard output at once. A piece of up to 4,096 bytes is written whole or not at
/// all, so that the reader of the pipe never sees part of a line of a child that was killed.
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

/// Standard input: the driver's side of it is open for as long as the driver lives.
enum StandardInput {
    /// The next line, waited for on the caller's thread; nil at the end. For one caller at a time.
    static func readLine() -> String? {
        Swift.readLine(strippingNewline: true)
    }

    /// The lines as they come, read on a thread of their own.
    static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            DispatchQueue(label: "standard input").async {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }

    /// Ends the process when the driver is gone, however it went.
    static func exitAtEnd() {
        DispatchQueue(label: "standard input").async {
            while readLine() != nil {}
            _exit(3)
        }
    }
}

/// Nanoseconds of the clock that all processes of the machine share.
func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
