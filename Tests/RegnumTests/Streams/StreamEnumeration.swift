import Foundation
import Testing

/// As `StreamTests`, with many histories. Optimised builds only.
///
/// `REGNUM_STREAM_HISTORIES` and `REGNUM_STREAM_PEER_HISTORIES` say how many, and `REGNUM_TEST_DIRECTORY` where the
/// realms are that two processes share (else in memory, in `/dev/shm`, where there is that).
@Suite(.serialized, .timeLimit(.minutes(40)))
struct StreamEnumeration {
    @Test func streamsTellWhatTheDefinitionSays() async throws {
        try await StreamSuite("StreamEnumeration", count: 19_500).run()
    }

    @Test func streamsTellTheSameOfAnotherProcess() async throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["REGNUM_STREAM_PEER_HISTORIES"].flatMap { Int($0) } ?? 500
        let suite = StreamSuite("StreamEnumeration with a process", count: count)
        let directory = try Self.makeDirectory(environment["REGNUM_TEST_DIRECTORY"])
        defer { try? FileManager.default.removeItem(at: directory) }
        let peer = try StreamPeerProcess()
        defer { peer.kill() }
        for number in suite.only.map({ $0..<$0 + 1 }) ?? 0..<count {
            let assignment = StreamAssignment(
                seed: suite.seed(number), path: directory.appending(path: "\(number).realm").path)
            do {
                try await peer.run(assignment)
            } catch {
                throw StreamFailure(
                    "REGNUM_SEED=\(suite.seed) REGNUM_STREAM_HISTORY=\(number): \(error)")
            }
            try FileManager.default.removeItem(atPath: assignment.path)
        }
        print("the process \(peer.processID) was the peer of \(count) histories")
    }

    /// A new directory.
    private static func makeDirectory(_ given: String?) throws -> URL {
        var parent = FileManager.default.temporaryDirectory
        var isDirectory: ObjCBool = false
        if let given {
            parent = URL(filePath: given)
        } else if FileManager.default.fileExists(atPath: "/dev/shm", isDirectory: &isDirectory),
            isDirectory.boolValue
        {
            parent = URL(filePath: "/dev/shm")
        }
        let directory = parent.appending(path: "regnum-streams-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory
    }
}
