import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumDebian

/// Debian's index as a graph. Without the file, these tests use the sample.
@Suite struct DebianIndexTests {
    @Test func theIndexAgreesWithPlainSwift() async throws {
        let index = try DebianIndex.part(packageCount: Effort.count(gate: 3_000, soak: 64_000))
        let realm = try await Realm.temporary([Package.self, Dependency.self])
        try await realm.load(PackageIndex(Data(index.text.utf8)))
        let plain = PlainGraph(index)
        expectAgreement(realm.snapshot(), plain)
        let names = ["libc6", "awk", "debconf", "postfix", "adduser", "python3"]
            .filter(plain.names.contains)
        expectTrue(names.contains("libc6"))
        for name in names {
            try await expectAgreement(realm, plain, dependentsOf: name)
        }
    }

    /// Runs in a separate process, whose memory is that of the graph. Time is printed, not
    /// asserted.
    @Test(.enabled(if: DebianIndex.file != nil))
    func theWholeIndexLoadsIntoLessThan300Megabytes() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "debian-\(UUID())")
        defer { try? FileManager.default.removeItem(at: directory) }
        let program = Process()
        program.executableURL = try BuiltProduct.file("RegnumDebian")
        program.arguments = [try requireValue(DebianIndex.file).path, directory.path]
        let pipe = Pipe()
        program.standardOutput = pipe
        try program.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        program.waitUntilExit()
        expectEqual(program.terminationStatus, 0)
        let measured = try JSONDecoder().decode(LoadMeasurement.self, from: output)
        print(measured)
        expectEqual(measured.packages, 63_666)
        expectEqual(measured.dependencies, 278_873)
        expectEqual(measured.dependents, 49_258)
        expectTrue(measured.peakByteCount < 300_000_000)
    }
}
