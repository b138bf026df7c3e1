import Foundation
import RegnumStore
import RegnumTestSupport
import Testing

/// A process that has closed its standard streams still prints to their descriptors, for example
/// what it logs.
@Suite struct ClosedStreamTests {
    @Test func whatIsPrintedToAClosedStreamDoesNotGetIntoTheFiles() throws {
        let place = try RealDirectory(inMemory: false)
        let path = place.path + "/a.realm"
        let process = Process()
        process.executableURL = try BuiltProduct.file("RegnumOpenChild")
        process.arguments = [path, "closed"]
        try process.run()
        process.waitUntilExit()
        expectEqual(process.terminationStatus, 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            let content = try Data(contentsOf: URL(filePath: path + "/" + name))
            let printed = content.range(of: Data("!!!!!!!!".utf8))
            expectNil(printed, "\(name)")
        }
        let log = try RealmLog.open(
            PosixFileSystem.shared, path: path, options: StoreOptions()
        ) { (_) throws(StoreError) in }
        expectTrue(log.report.version == 1 && log.report.discardedByteCount == 0)
    }
}
