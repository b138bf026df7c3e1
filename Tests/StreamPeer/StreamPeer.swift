import Foundation

/// The second process of `StreamEnumeration`: one long-lived peer.
///
/// A line of standard input names a history and a realm (see `StreamAssignment`). The process
/// answers "open", runs the history as side 1, and at each step tells its number and waits for a line;
/// then it answers "ok", or what failed. It ends with its input.
@main enum StreamPeer {
    static func main() async {
        var lines = lines().makeAsyncIterator()
        while let line = await lines.next(isolation: nil) {
            guard let assignment = StreamAssignment(line) else {
                tell("not an assignment: \(line)")
                continue
            }
            tell("open")
            let input = Input(lines)
            do {
                try await assignment.run(side: 1) { step in
                    tell("\(step)")
                    guard await input.next() != nil else { throw CancellationError() }
                }
                tell("ok")
            } catch {
                tell("\(error)".replacing("\n", with: " | "))
            }
            lines = input.lines
        }
    }

    /// The rest of the input. Confined to the task of `main`.
    private final class Input {
        var lines: AsyncStream<String>.Iterator

        init(_ lines: AsyncStream<String>.Iterator) { self.lines = lines }

        func next() async -> String? {
            var lines = lines
            defer { self.lines = lines }
            return await lines.next(isolation: #isolation)
        }
    }

    private static func tell(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    /// The lines as they come, read on a thread of their own: the end of the input ends the process
    /// also within a history, whose other half is gone then.
    private static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                exit(0)
            }
        }
    }
}
