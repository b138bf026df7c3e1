import Foundation
import Glibc
import Regnum
import RegnumTestSupport
import Testing

@Suite(.timeLimit(.minutes(8))) struct ToolVerifyTests {
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
        struct Process: Decodable {
            struct Snapshot: Decodable {
                let version: UInt64
                let age: Double
                let place: String
            }

            let id: Int32
            let heldSnapshots: [Snapshot]?
            let isComplete: Bool?
        }

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

    @Test func infoSaysWhichLinesHoldVersions() async throws {
        let folder = try ToolFolder()
        try await folder.makeRealm("a.realm", nodeCount: 7)
        try await folder.makeRealm("b.realm", nodeCount: 1)
        let realm = try await folder.open("a.realm")
        _ = try await folder.open("a.realm")  // the same one
        let other = try await folder.open("b.realm")
        let (first, line) = (realm.snapshot(), #line)
        try await realm.write { tx in tx.delete(tx.objects(ToolNode.self).where { $0.id == 1 }) }
        let (second, secondLine) = (realm.snapshot(), #line)
        let unrelated = other.snapshot()
        let (held, isComplete) = try await heldSnapshots("a.realm", folder)
        expectTrue(isComplete)
        expectEqual(held.map(\.version), [first.version, second.version])
        for (snapshot, line) in zip(held, [line, secondLine]) {
            expectTrue(snapshot.place.hasSuffix("ToolVerifyTests.swift:\(line)"), "\(held)")
            expectTrue(snapshot.age >= 0)
        }
        var text = ""
        repeat {
            text = try await folder.run("info", "a.realm").output
        } while text.contains("doesn't answer")
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("held version") }
        expectEqual(lines.count, 2)
        expectTrue(lines[0].contains("process \(getpid())"), "\(text)")
        expectTrue(lines[0].hasSuffix("ToolVerifyTests.swift:\(line)"), "\(text)")
        // more than fit into an answer
        let many = (0..<2_000).map { _ in realm.snapshot() }
        let (some, isAll) = try await heldSnapshots("a.realm", folder)
        expectTrue(some.count > 100 && some.count < many.count && !isAll, "\(some.count)")
        repeat {
            text = try await folder.run("info", "a.realm").output
        } while text.contains("doesn't answer")
        expectTrue(text.contains("holds too many to list"), "\(text)")
        withExtendedLifetime((first, second, unrelated, many)) {}
        await other.close()
        await realm.close()
    }

    /// What a program calls its source files must not control the terminal.
    @Test func infoShowsNoControlCharactersOfOtherProcesses() async throws {
        let folder = try ToolFolder()
        try await folder.makeRealm("a.realm", nodeCount: 1)
        let realm = try await folder.open("a.realm")
        let snapshot = realm.snapshot(file: "\u{1B}[2J\u{202E}\t\u{7}", line: 7)
        let (held, _) = try await heldSnapshots("a.realm", folder)
        expectEqual(held.map(\.place), [#"\u{1B}[2J\u{202E}\u{9}\u{7}:7"#])
        withExtendedLifetime(snapshot) {}
        await realm.close()
    }

    /// Nor must the names in a file, which somebody else may have made.
    @Test func namesInFilesDoNotControlTheTerminal() async throws {
        let folder = try ToolFolder()
        let schema =
            #"{"regnum":1,"classes":[{"name":"\u001b[2J\nA","#
            + #""properties":[{"name":"\u009bA\nA","type":"int"}]}]}"#
        expectEqual(try await folder.run("import", "a.realm", input: schema + "\n").code, 0)
        let queryOfUnknownClass = ["query", "a.realm", "\u{7}"]
        let salvage = ["salvage", "a.realm", "b.realm"]
        let listings = [["info", "a.realm"], ["schema", "a.realm"], salvage]
        for arguments in listings + [queryOfUnknownClass] {
            let process = try ToolProcess(arguments, in: folder)
            process.closeInput()
            let result = try await process.result()
            let text = result.output + result.errors
            let hasControls = text.unicodeScalars.contains {
                $0.properties.generalCategory == .control && $0 != "\n"
            }
            expectTrue(!hasControls && text.contains("\\u{"), "\(arguments)")
            // nor look like lines of the tool
            expectTrue(!text.contains("\nA"), "\(arguments)")
        }
    }

    /// Returns the snapshots of a realm that this process holds, as `info` lists them, and whether
    /// it has listed all of them.
    private func heldSnapshots(
        _ name: String, _ folder: ToolFolder
    ) async throws -> ([Info.Process.Snapshot], isComplete: Bool) {
        while true {
            let found = try await folder.run("info", name, "--json").output
            let process = try decode(Info.self, found).realm.processes.first
            // this process may have been too busy to answer
            guard let process, let held = process.heldSnapshots else { continue }
            return (held, try requireValue(process.isComplete))
        }
    }

    /// Such as one that is stopped.
    @Test func infoSaysThatAProcessDoesNotAnswer() async throws {
        let folder = try ToolFolder()
        try await folder.makeRealm("a.realm", nodeCount: 2)
        let process = try ToolProcess(["import", "a.realm"], in: folder)
        process.type(#"{"regnum":1,"classes":[]}"# + "\n")
        while true {
            let found = try await folder.run("info", "a.realm", "--json").output
            let processes = try decode(Info.self, found).realm.processes
            if processes.contains(where: { $0.id == process.pid }) { break }
        }
        kill(process.pid, SIGSTOP)
        let text = try await folder.run("info", "a.realm").output
        kill(process.pid, SIGCONT)
        process.closeInput()
        _ = try await process.result()
        expectTrue(text.contains("held versions"), "\(text)")
        expectTrue(text.contains("doesn't answer"), "\(text)")
    }
}
