import Foundation
import RegnumTestSupport
import Testing

/// A process that has closed its standard streams still prints to their descriptors, for example
/// what it logs.
@Suite struct ClosedStreamTests {
    @Test func whatIsPrintedToAClosedStreamDoesNotGetIntoTheFiles() throws {
        let place = try RealDirectory(inMemory: false)
        let path = place.path + "/a.realm"
        try expectEqual(OpenChildProcess.run(path, "closed").code, 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            let content = try Data(contentsOf: URL(filePath: path + "/" + name))
            let printed = content.range(of: Data("!!!!!!!!".utf8))
            expectNil(printed, "\(name)")
        }
        try OpenChildProcess.expectOneCommit(path)
    }
}
