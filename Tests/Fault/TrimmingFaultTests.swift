import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// Files that trimming can't remove.
@Suite struct TrimmingFaultTests {
    /// In a directory with the sticky bit, files of other users can't be removed.
    @Test func aSegmentOfAnotherUserKeepsNoNodesFiles() throws {
        let disk = SimFileSystem(seed: 29)
        let process = try CheckpointProcess(disk)
        try expectTrue(process.becomeWriter())
        for _ in 0..<3 {
            for _ in 0..<6 {
                let version = process.content.bodies.count + 1
                try process.append([TestBody.make(version: version, payloadByteCount: 800)])
                try process.log.sync()
                process.log.publish()
            }
            try process.checkpoint(isNewFile: true)
        }
        func names(_ prefix: String) -> [String] {
            disk.fileNames(in: TinyStore.path).filter { $0.hasPrefix(prefix) }.sorted()
        }
        let segments = names("log-")
        expectTrue(segments.contains("log-0-0"))
        expectEqual(names("nodes-"), ["nodes-1", "nodes-2", "nodes-3"])
        disk.inject(SimFailure(.unlink, code: .filePermissionDenied))
        let error = #expect(throws: StoreError.self) { try process.trim() }
        expectEqual(error?.code, .filePermissionDenied)
        expectEqual(names("log-"), segments)
        expectEqual(names("nodes-"), ["nodes-2", "nodes-3"])
        let again = try CheckpointProcess(disk.killImage())
        expectEqual(again.content.bodies, process.content.bodies)
        try process.trim()
        expectTrue(!names("log-").contains("log-0-0"))
    }
}
