internal import Foundation

/// The other side of a `PeerProcess`: it answers the lines of its standard input and exits at its
/// end.
package enum PeerProgram {
    /// Answers each line with one line.
    package static func answer(_ answer: (String) async throws -> String) async {
        let lines = lines()
        while let line = await next(of: lines) {
            do {
                tell(try await answer(line))
            } catch {
                tell("\(error)".replacing("\n", with: " | "))
            }
        }
    }

    /// Runs the assigned halves (see `PeerAssignment`) as side 1: answers "open", at each meeting
    /// point sends its number and waits for a line, and finally answers "ok" or the error.
    package static func share(
        half: (PeerAssignment, @escaping @Sendable (Int) async throws -> Void) async throws -> Void
    ) async {
        let lines = lines()
        while let line = await next(of: lines) {
            guard let assignment = PeerAssignment(line) else {
                tell("not an assignment: \(line)")
                continue
            }
            tell("open")
            do {
                try await half(assignment) { place in
                    tell("\(place)")
                    guard await next(of: lines) != nil else { throw CancellationError() }
                }
                tell("ok")
            } catch {
                tell("\(error)".replacing("\n", with: " | "))
            }
        }
    }

    /// Returns the next unread line.
    private static func next(of lines: AsyncStream<String>) async -> String? {
        var iterator = lines.makeAsyncIterator()
        return await iterator.next(isolation: #isolation)
    }

    private static func tell(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    /// The lines of standard input, read on a thread of their own: the end of the input also exits
    /// the process in the middle of a half, because its counterpart is gone then.
    private static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                exit(0)
            }
        }
    }
}
