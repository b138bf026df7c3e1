import Foundation
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// The two file systems to which every contract test applies.
enum DiskKind: String, CaseIterable, Sendable {
    case posix, simulation
}

/// A file system with a directory for realms, which is removed with it.
final class TestDisk {
    let fileSystem: any FileSystem
    /// An existing directory.
    let base: String

    init(_ kind: DiskKind) throws {
        switch kind {
        case .posix:
            let url = FileManager.default.temporaryDirectory
                .appendingPathComponent("regnum-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            base = url.path
            fileSystem = PosixFileSystem.shared
        case .simulation:
            base = "/sim"
            fileSystem = SimFileSystem(seed: 1)
        }
    }

    deinit {
        if fileSystem is PosixFileSystem { try? FileManager.default.removeItem(atPath: base) }
    }

    var realmPath: String { "\(base)/a.realm" }

    func makeRealm() throws -> any RealmDirectory {
        try fileSystem.openDirectory(realmPath, .creating)
    }

    /// Creates a plain file where a realm directory is expected.
    func placePlainFile(at path: String) throws {
        if let simulation = fileSystem as? SimFileSystem {
            simulation.placePlainFile(at: path)
        } else {
            try Data("text".utf8).write(to: URL(fileURLWithPath: path))
        }
    }
}

extension StoreFile {
    func write(_ bytes: [UInt8], at offset: UInt64 = 0) throws(StoreError) {
        // A closure that throws a typed error is inferred to throw any error, hence the `Result`.
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(StoreError) in try self.write(buffer, at: offset) }
        }
        try result.get()
    }

    func readAll() throws -> [UInt8] { try read(at: 0, count: Int(size())) }
}

/// Returns the code of the error that `body` throws; `nil` if it throws none.
func codeThrown(by body: () throws -> Void) -> StoreError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? StoreError)?.code
    }
}
