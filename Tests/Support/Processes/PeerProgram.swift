internal import Foundation

/// The other side of a `PeerProcess`: it answers the lines of its standard input, and ends with it.
package enum PeerProgram {
    /// Answers each line with one.
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

    /// Runs the halves that lines name (see `PeerAssignment`) as side 1: answers "open", tells at each place
    /// its number and waits for a line, and then answers "ok", or what failed.
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

    /// The next line that nobody has taken.
    private static func next(of lines: AsyncStream<String>) async -> String? {
        var iterator = lines.makeAsyncIterator()
        return await iterator.next(isolation: #isolation)
    }

    private static func tell(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    /// The lines as they come, read on a thread of their own: the end of the input ends the process also
    /// within a half, whose other one is gone then.
    private static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                exit(0)
            }
        }
    }
}
