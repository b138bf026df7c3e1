import Foundation

/// Prints lines at once, also to a pipe or file.
func show(_ lines: some Sequence<String>) throws {
    let text = lines.map { $0 + "\n" }.joined()
    if text.isEmpty { return }
    try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
}

/// Returns the lines of standard input, which are read on a thread of their own, because waiting
/// for input would block a thread of the cooperative pool.
func typedLines() -> AsyncStream<String> {
    let (lines, feed) = AsyncStream<String>.makeStream()
    Thread.detachNewThread {
        // Not `readLine`: the lock that it holds while it waits can delay the end of the process.
        var buffer = [UInt8](repeating: 0, count: 4096)
        var rest: [UInt8] = []
        while case let count = read(STDIN_FILENO, &buffer, buffer.count), count > 0 {
            rest += buffer[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                feed.yield(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeFirst(end + 1)
            }
        }
        if !rest.isEmpty { feed.yield(String(decoding: rest, as: UTF8.self)) }
        feed.finish()
    }
    return lines
}

/// Runs `body` until it ends, or until Ctrl-C or SIGTERM cancels it, which is a normal end.
func untilInterrupted(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let (registered, register) = AsyncStream<Void>.makeStream()
    let task = Task {
        // not before both signals are handled
        for await _ in registered.prefix(2) {}
        try await body()
    }
    let sources = [SIGINT, SIGTERM].map { number in
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { task.cancel() }
        source.setRegistrationHandler { register.yield() }
        source.resume()
        return source
    }
    defer { for source in sources { source.cancel() } }
    do {
        try await task.value
    } catch is CancellationError {
    }
}

/// The calendar of local times.
let calendar = Calendar(identifier: .gregorian)

/// Returns the local time of day as "HH:MM:SS".
func timeOfDay(_ date: Date) -> String {
    let time = calendar.dateComponents([.hour, .minute, .second], from: date)
    return String(format: "%02d:%02d:%02d", time.hour ?? 0, time.minute ?? 0, time.second ?? 0)
}

/// Makes other users' text safe for a terminal. Control characters, with which escape sequences
/// begin, and marks that change the direction of text become U+FFFD; tabs and line breaks a space.
func printable(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D: result += " "
        case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: result += "\u{FFFD}"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}
