import Foundation
import Glibc
import Regnum
import RegnumTestSupport
import Testing

@Suite struct ToolVerifyTests {
    /// The parts of the JSON object that these tests examine.
    private struct Report: Decodable {
        struct Damage: Decodable {
            let path: String?
            let offset: UInt64?
        }

        let version: UInt64?
        let damages: [Damage]
        let isComplete: Bool
        let recordCount: Int
        let objectCount: Int
    }

    private struct Info: Decodable {
        struct Process: Decodable { let id: Int32 }

        struct Facts: Decodable {
            let version: UInt64
            let isOpenElsewhere: Bool
            let processes: [Process]
            let isBeingWritten: Bool
            let lastWriter: Process?
        }

        struct Files: Decodable {
            let count: Int
            let byteCount: Int
        }

        struct StoredClass: Decodable {
            let name: String
            let objectCount: Int
        }

        let realm: Facts
        let log: Files
        let classes: [StoredClass]
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    @Test func soundRealmIsVerifiedWhileItIsWritten() async throws {
        let folder = try ToolFolder()
        try await folder.makeRealm("a.realm", nodeCount: 300)
        let closed = try await folder.run("verify", "a.realm")
        expectTrue(closed.code == 0 && closed.output.hasPrefix("sound; read "), "\(closed)")
        let realm = try await folder.open("a.realm")
        let writer = Task {
            while !Task.isCancelled {
                try await realm.write { tx in
                    let loose = ToolLoose(value: ["number": 2])
                    try tx.add(loose)
                }
            }
        }
        for _ in 0..<3 {
            let result = try await folder.run("verify", "a.realm", "--json")
            expectTrue(result.code == 0 && result.errors == "", "\(result)")
            let report = try decode(Report.self, result.output)
            expectTrue(report.damages.isEmpty && report.isComplete, "\(result)")
            expectTrue(report.recordCount > 0 && report.objectCount > 600, "\(result)")
        }
        writer.cancel()
        _ = await writer.result
        await realm.close()
    }

    // Covers .invalidDatabase
    @Test func damageIsPrintedAndMakesTheExitCodeOne() async throws {
        let folder = try ToolFolder()
        try await folder.makeRealm("a.realm", nodeCount: 300)
        let file = folder["a.realm"].appending(path: "log-0-0")
        var bytes = try Data(contentsOf: file)
        bytes[4096 + 60] ^= 1
        try bytes.write(to: file, options: .atomic)
        let text = try await folder.run("verify", "a.realm")
        expectEqual(text.code, 1)
        expectTrue(text.output.contains("log-0-0, offset: 4096)"), "\(text)")
        let json = try await folder.run("verify", "a.realm", "--json")
        expectEqual(json.code, 1)
        let report = try decode(Report.self, json.output)
        let isNamed = report.damages.contains {
            $0.path?.hasSuffix("a.realm/log-0-0") == true && $0.offset == 4096
        }
        expectTrue(isNamed && report.isComplete, "\(json)")
        try expectEqual(Data(contentsOf: file), bytes)
    }

    @Test func infoNamesTheProcessesThatHaveTheRealmOpen() async throws {
        let folder = try ToolFolder()
        try await folder.makeRealm("a.realm", nodeCount: 7)
        let closed = try await folder.run("info", "a.realm", "--json")
        expectEqual(closed.code, 0)
        let alone = try decode(Info.self, closed.output)
        expectTrue(!alone.realm.isOpenElsewhere && alone.realm.processes.isEmpty, "\(closed)")
        expectTrue(!alone.realm.isBeingWritten && alone.realm.lastWriter?.id == getpid())
        expectTrue(alone.log.count > 0 && alone.log.byteCount > 0)
        let node = alone.classes.first { $0.name == "ToolNode" }
        expectEqual(node?.objectCount, 7)
        let realm = try await folder.open("a.realm", readOnly: true)
        let open = try await folder.run("info", "a.realm", "--json")
        let facts = try decode(Info.self, open.output).realm
        expectTrue(facts.isOpenElsewhere && facts.processes.map(\.id) == [getpid()], "\(open)")
        expectEqual(facts.version, realm.snapshot().version)
        let text = try await folder.run("info", "a.realm")
        expectTrue(text.output.contains("process \(getpid())"), "\(text)")
        await realm.close()
    }
}
