import Foundation

/// The second process of `AtlasEnumeration`: one long-lived peer.
///
/// A line of standard input names a sequence and a realm (see `AtlasAssignment`). The process answers
/// "open", runs the sequence as side 1, and at each place tells its number and waits for a line; then it
/// answers "ok", or what failed. It ends with its input.
@main enum AtlasPeer {
    static func main() async {
        let lines = lines()
        while let line = await next(of: lines) {
            guard let assignment = AtlasAssignment(line) else {
                tell("not an assignment: \(line)")
                continue
            }
            tell("open")
            do {
                try await assignment.run(side: 1) { place in
                    tell("\(place)")
                    guard await next(of: lines) != nil else { throw CancellationError() }
                }
                tell("ok")
            } catch {
                tell("\(error)".replacing("\n", with: " | "))
            }
        }
    }

    /// The next line that nobody has taken.
    private static func next(of lines: AsyncStream<String>) async -> String? {
        var iterator = lines.makeAsyncIterator()
        return await iterator.next(isolation: #isolation)
    }

    private static func tell(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    /// The lines as they come, read on a thread of their own: the end of the input ends the process
    /// also within a sequence, whose other half is gone then.
    private static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                exit(0)
            }
        }
    }
}
