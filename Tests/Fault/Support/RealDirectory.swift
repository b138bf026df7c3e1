import Foundation

/// A new directory on the real file system, in memory where the machine supports it; removed with
/// this object.
final class RealDirectory {
    let path: String

    init(inMemory: Bool = true) throws {
        var isDirectory: ObjCBool = false
        let memory = "/dev/shm"
        let hasMemory =
            FileManager.default.fileExists(atPath: memory, isDirectory: &isDirectory)
            && FileManager.default.isWritableFile(atPath: memory)
        let parent =
            inMemory && hasMemory && isDirectory.boolValue
            ? memory : FileManager.default.temporaryDirectory.path
        path = "\(parent)/regnum-fault-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
