import Foundation

/// The index of packages, compressed as Debian publishes it.
enum IndexFile {
    /// Returns the content of the file, decompressed by `gzip`.
    static func contents(ofFile path: String) throws -> Data {
        let unpacker = Process()
        unpacker.executableURL = URL(filePath: "/usr/bin/env")
        unpacker.arguments = ["gzip", "-dc", path]
        let pipe = Pipe()
        unpacker.standardOutput = pipe
        try unpacker.run()
        let contents = pipe.fileHandleForReading.readDataToEndOfFile()
        unpacker.waitUntilExit()
        guard unpacker.terminationStatus == 0 else {
            throw IndexFailure("gzip could not decompress \(path).")
        }
        return contents
    }
}
