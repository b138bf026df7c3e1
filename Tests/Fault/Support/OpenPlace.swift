import Foundation
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// A realm directory on the simulated or the real disk, to be filled with unusual files.
final class OpenPlace {
    enum Kind: String, CaseIterable, Sendable { case simulation, real }

    let fileSystem: any FileSystem
    let path: String
    private let simulation: SimFileSystem?
    private let real: RealDirectory?

    init(_ kind: Kind) throws {
        switch kind {
        case .simulation:
            let disk = SimFileSystem(seed: 4)
            simulation = disk
            real = nil
            fileSystem = disk
            path = "/sim/a.realm"
        case .real:
            let directory = try RealDirectory()
            simulation = nil
            real = directory
            fileSystem = PosixFileSystem.shared
            path = directory.path + "/a.realm"
        }
    }

    func makeDirectory() throws {
        if simulation != nil {
            _ = try fileSystem.openDirectory(path, .creating)
        } else {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false)
        }
    }

    func placePlainFile(_ text: String) throws {
        if let simulation {
            simulation.placePlainFile(at: path)
        } else {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        }
    }

    func put(_ bytes: [UInt8], _ name: String) throws {
        if let simulation {
            simulation.setContents(bytes, of: name, in: path)
        } else {
            try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
        }
    }

    func remove(_ name: String) throws {
        if let simulation {
            simulation.removeFile(name, in: path)
        } else {
            try FileManager.default.removeItem(atPath: path + "/" + name)
        }
    }

    func bytes(_ name: String) throws -> [UInt8] {
        if let simulation { return simulation.contents(of: name, in: path) ?? [] }
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
    }

    /// Returns every file with its bytes. For `LOCK` only the control page: the words for waiting
    /// next to it count every attempt.
    func listing() throws -> [String: [UInt8]] {
        if let simulation {
            return Dictionary(
                uniqueKeysWithValues: simulation.fileNames(in: path).map {
                    ($0, simulation.contents(of: $0, in: path) ?? [])
                })
        }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            return [:]
        }
        guard isDirectory.boolValue else {
            return ["": [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))]
        }
        var listing: [String: [UInt8]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            let bytes = try? bytes(name)
            listing[name] = name == "LOCK" ? bytes.map { Array($0.prefix(1024)) } : bytes ?? []
        }
        return listing
    }

    /// Creates a closed realm with some commits, and returns their bodies.
    func makeRealm(commits: Int = 3, payloadByteCount: Int = 100) throws -> [[UInt8]] {
        let log = try TinyStore.open(fileSystem, path: path).log
        guard try log.takeWriter() else { return [] }
        let bodies = (1...commits).map {
            TestBody.make(version: $0, payloadByteCount: payloadByteCount)
        }
        for body in bodies { try log.commit([body]) }
        try log.writeIdle()
        log.releaseWriterLock()
        return bodies
    }

    func open() throws(StoreError) -> TinyStore.Opened {
        try TinyStore.open(fileSystem, path: path)
    }
}
