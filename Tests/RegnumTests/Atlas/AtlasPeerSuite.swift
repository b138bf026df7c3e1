import Foundation

/// Sequences on realms that this process shares with a long-lived other one: both write, read and open them
/// again.
struct AtlasPeerSuite {
    let suite: AtlasSuite

    init(_ name: String, count: Int) {
        suite = AtlasSuite(name, count: count, variable: "REGNUM_ATLAS_PEER_SEQUENCES")
    }

    /// Realms are in `/dev/shm`, in memory, where there is that and `REGNUM_TEST_DIRECTORY` says no other
    /// place.
    func run() async throws {
        let directory = try Self.makeDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let peer = try AtlasPeerProcess()
        defer { peer.kill() }
        for number in suite.numbers {
            let assignment = AtlasAssignment(
                seed: suite.seed(number), path: directory.appending(path: "\(number).realm").path)
            do {
                try await peer.run(assignment)
            } catch {
                throw AtlasFailure(suite.failure(number, error))
            }
            try FileManager.default.removeItem(atPath: assignment.path)
        }
        print("the process \(peer.processID) was the peer of \(suite.numbers.count) sequences")
    }

    private static func makeDirectory() throws -> URL {
        let given = ProcessInfo.processInfo.environment["REGNUM_TEST_DIRECTORY"]
        var parent = given.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
        var isDirectory: ObjCBool = false
        if given == nil,
            FileManager.default.fileExists(atPath: "/dev/shm", isDirectory: &isDirectory),
            isDirectory.boolValue
        {
            parent = URL(filePath: "/dev/shm")
        }
        let directory = parent.appending(path: "regnum-atlas-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory
    }
}
