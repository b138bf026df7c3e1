import Foundation

/// The second process of `StreamEnumeration`: one long-lived peer.
///
/// Each line of standard input names a history and a realm (see `StreamAssignment`). The process runs
/// the history as side 1 and answers a line: "ok", or what failed. It ends with its input.
@main enum StreamPeer {
    static func main() async {
        for await line in lines() {
            let answer = await answer(line)
            FileHandle.standardOutput.write(Data("\(answer)\n".utf8))
        }
    }

    private static func answer(_ line: String) async -> String {
        guard let assignment = StreamAssignment(line) else { return "not an assignment: \(line)" }
        do {
            try await assignment.run(side: 1)
            return "ok"
        } catch {
            return "\(error)".replacing("\n", with: " | ")
        }
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
