import Foundation
import RegnumTestSupport

/// Debian's index of packages, next to the repository.
enum UnpackedIndex {
    private static let packed = Repository.shared.appending(path: "data/debian-packages.tsv.gz")

    /// Unpacks the index to a file. Returns `false` and prints what isn't tested if it is absent.
    static func write(to file: URL, orSkip part: String) throws -> Bool {
        guard FileManager.default.fileExists(atPath: packed.path) else {
            print("\(packed.path) is absent: \(part).")
            return false
        }
        try Data().write(to: file)
        let unpacker = Process()
        unpacker.executableURL = URL(filePath: "/usr/bin/env")
        unpacker.arguments = ["gzip", "-dc", packed.path]
        unpacker.standardOutput = try FileHandle(forWritingTo: file)
        try unpacker.run()
        unpacker.waitUntilExit()
        expectEqual(unpacker.terminationStatus, 0)
        return true
    }
}
