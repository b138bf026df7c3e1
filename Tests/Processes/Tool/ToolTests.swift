import Foundation
import Glibc
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct ToolTests {
    /// Returns the lines of objects, which follow the schema.
    private func objects(_ text: String) -> [Substring] {
        Array(text.split(separator: "\n").dropFirst())
    }

    @Test func whatIsExportedIsImported() async throws {
        let folder = try ToolFolder()
        try await folder.makeRealm("a.realm", nodeCount: 300, schemaVersion: 4)
        let exported = try await folder.run("export", "a.realm")
        expectTrue(exported.code == 0 && exported.errors == "")
        let imported = try await folder.run("import", "b.realm", input: exported.output)
        expectTrue(imported.code == 0 && imported.output == "301 objects imported\n")
        let again = try await folder.run("export", "b.realm", "--output", "b.jsonl")
        expectTrue(again.code == 0 && again.output == "")
        let text = try String(contentsOf: folder["b.jsonl"], encoding: .utf8)
        expectTrue(objects(text) == objects(exported.output) && objects(text).count == 301)
        // Also from a file. The schema version is included, so the program's own realm opens.
        let second = try await folder.run("import", "c.realm", "b.jsonl", "--atomic")
        expectEqual(second.code, 0)
        var configuration = Realm.Configuration(
            location: .file(folder["c.realm"]), objectTypes: toolTypes)
        configuration.schemaVersion = 4
        let realm = try await Realm.open(configuration)
        let nodes = realm.snapshot().objects(ToolNode.self)
        expectTrue(
            nodes.count == 300 && nodes[299].next?.id == 0 && nodes[7].marks[0].node?.id == 0)
        let loose = try requireValue(realm.snapshot().objects(ToolLoose.self).first)
        expectEqual(loose.others.first?.rowIdentity, loose.rowIdentity)
        await realm.close()
    }

    /// An import that was killed at its beginning leaves a realm to which nothing was committed.
    @Test func realmWithoutCommitsIsNew() async throws {
        let folder = try ToolFolder()
        try await folder.makeRealm("a.realm", nodeCount: 3, schemaVersion: 4)
        let exported = try await folder.run("export", "a.realm")
        for number in 0..<2 {
            if number == 0 {
                let realm = try await Realm.open(.init(location: .file(folder["b.realm"])))
                expectEqual(realm.snapshot().version, 0)
                await realm.close()
            }
            let result = try await folder.run(
                "import", "b.realm", "--update", "modified", input: exported.output)
            expectEqual(result.code, 0, "\(result.errors)")
            try await expectEqual(Realm.schemaVersion(at: folder["b.realm"]), 4)
        }
    }

    /// The input may come long after the command was started.
    @Test func realmThatIsCreatedMeanwhileKeepsItsVersion() async throws {
        let folder = try ToolFolder()
        try await folder.makeRealm("a.realm", nodeCount: 3, schemaVersion: 5)
        let text = try await folder.run("export", "a.realm").output
        let process = try ToolProcess(["import", "b.realm", "--update", "modified"], in: folder)
        // More than fits into a pipe, so that some of it has been read when this returns.
        process.type(String(repeating: " ", count: 1 << 20))
        try await folder.makeRealm("b.realm", nodeCount: 2, schemaVersion: 1)
        process.type(text)
        process.closeInput()
        let result = try await process.result()
        expectEqual(result.code, 0, "\(result.errors)")
        try await expectEqual(Realm.schemaVersion(at: folder["b.realm"]), 1)
    }

    @Test func schemaAndInfoAreShown() async throws {
        let folder = try ToolFolder()
        try await folder.makeRealm("a.realm", nodeCount: 5)
        // Also while a program has it open.
        let realm = try await folder.open("a.realm")
        let schema = try await folder.run("schema", "a.realm")
        expectTrue(schema.code == 0 && schema.output.hasPrefix("schema version 0\n"))
        #expect(
            schema.output.contains(
                """
                ToolNode: Object
                    id: Int  // primary key
                    text: String  // indexed
                    weight: Double?
                    next: ToolNode?
                    marks: List<ToolMark>
                    names: Map<String, Int>
                    tags: MutableSet<String>

                """))
        expectTrue(schema.output.contains("ToolMark: EmbeddedObject\n    at: Date\n"))
        let info = try await folder.run("info", "a.realm")
        let lines = info.output.split(separator: "\n").map { $0.split(separator: " ") }
        expectTrue(info.code == 0 && lines.contains(["ToolNode", "5", "objects"]))
        expectTrue(lines.contains(["ToolMark", "5", "embedded", "objects"]))
        expectTrue(lines.contains(["ToolLoose", "1", "object"]))
        expectTrue(lines.contains(["version", "\(realm.snapshot().version)"]))
        expectTrue(
            lines.contains(["format", "1.0"]) && lines.contains(["oldest", "version", "0"]))
        let chosen = try await folder.run("export", "a.realm", "--class", "ToolLoose")
        expectEqual(objects(chosen.output).count, 1)
        await realm.close()
    }

    @Test func realmsInUseAreCompacted() async throws {
        struct Sizes: Decodable {
            let byteCountBefore: Int
            let byteCountAfter: Int
            let historyByteCount: Int
        }
        let folder = try ToolFolder()
        try await folder.makeRealm("a.realm", nodeCount: 300)
        let realm = try await folder.open("a.realm")
        let result = try await folder.run("compact", "a.realm", "--json")
        expectEqual(result.code, 0, "\(result.errors)")
        let sizes = try JSONDecoder().decode(Sizes.self, from: Data(result.output.utf8))
        expectTrue(sizes.byteCountBefore > 0 && sizes.byteCountAfter > sizes.historyByteCount)
        expectEqual(realm.snapshot().objects(ToolNode.self).count, 300)
        try await realm.write { tx in tx.deleteAll() }
        await realm.close()
        let again = try await folder.run("compact", "a.realm")
        expectTrue(again.code == 0 && again.output.contains("bytes before"), "\(again.errors)")
        let missing = try await folder.run("compact", "none.realm")
        expectEqual(missing.code, 66)
        expectTrue(!FileManager.default.fileExists(atPath: folder["none.realm"].path))
    }

    @Test func realmsInUseAreBackedUpAndRestored() async throws {
        let folder = try ToolFolder()
        try await folder.makeRealm("a.realm", nodeCount: 5)
        let realm = try await folder.open("a.realm")
        let first = realm.snapshot().version
        let made = try await folder.run("backup", "a.realm", "b.realm")
        expectEqual(made.output, "backup of version \(first)\n", "\(made.errors)")
        try await realm.write { tx in tx.delete(tx.objects(ToolNode.self).where { $0.id == 4 }) }
        let before = Date()
        try await Task.sleep(for: .milliseconds(1_100))
        try await realm.write { tx in tx.deleteAll() }
        let updated = try await folder.run("backup", "a.realm", "b.realm", "--update")
        expectTrue(updated.output == "backup of version \(first + 2)\n", "\(updated.errors)")
        await realm.close()

        let time = before.addingTimeInterval(0.5).formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        let restores: [(arguments: [String], count: Int)] = [
            (["--version", "\(first)"], 5), (["--time", time], 4), ([], 0),
        ]
        for (index, (arguments, count)) in restores.enumerated() {
            let target = "\(index).realm"
            let process = try ToolProcess(["restore", "b.realm", target] + arguments, in: folder)
            process.closeInput()
            let result = try await process.result()
            expectEqual(result.code, 0, "\(result.errors)")
            let restored = try await folder.open(target)
            expectEqual(restored.snapshot().objects(ToolNode.self).count, count)
            expectEqual(
                result.output, "restored version \(restored.snapshot().version)\n")
            await restored.close()
        }
        for (arguments, code) in [
            (["restore", "b.realm", "0.realm"], 73), (["restore", "none.realm", "c.realm"], 66),
            (["restore", "b.realm", "c.realm", "--version", "0"], 66),
            (["restore", "b.realm", "c.realm", "--version", "999"], 65),
            (["restore", "b.realm", "c.realm", "--time", "yesterday"], 64),
            (["restore", "b.realm", "c.realm", "--time", "2126-02-30T08:30:00Z"], 64),
            (["restore", "b.realm", "c.realm", "--time", "2126-02-28T08:30:00Z or so"], 64),
            (["restore", "b.realm", "c.realm", "--version", "1", "--time", time], 64),
            (["backup", "a.realm", "b.realm"], 73),
            (["backup", "a.realm", "c.realm", "--update"], 66),
            (["backup", "0.realm", "b.realm", "--update"], 65),
        ] as [([String], Int32)] {
            let process = try ToolProcess(arguments, in: folder)
            process.closeInput()
            let result = try await process.result()
            expectEqual(result.code, code, "\(arguments) \(result.errors)")
            expectTrue(!FileManager.default.fileExists(atPath: folder["c.realm"].path))
        }
    }

    @Test func backupInAFileIsReadByAllCommands() async throws {
        let folder = try ToolFolder()
        try await folder.makeRealm("a.realm", nodeCount: 5)
        let exported = try await folder.run("export", "a.realm").output
        let made = try await folder.run("backup", "a.realm", "a.tar", "--single-file")
        expectTrue(made.output.hasPrefix("backup of version"), "\(made.errors)")
        for command in [["export"], ["info"], ["schema"], ["verify"]] {
            let result = try await folder.run(command[0], "a.tar")
            expectEqual(result.code, 0, "\(command): \(result.errors)")
            if command == ["export"] { expectEqual(result.output, exported) }
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder["link.tar"].path, withDestinationPath: "a.tar")
        let info = try await folder.run("info", "a.tar").output
        try await expectEqual(folder.run("info", "link.tar").output, info)
        let found = try await folder.run("query", "a.tar", "ToolNode", "id == 3")
        expectEqual(found.output.split(separator: "\n").count, 1)
        try await expectEqual(folder.run("restore", "a.tar", "b.realm").code, 0)
        try await expectEqual(folder.run("export", "b.realm").output, exported)
        for (arguments, code) in [
            (["compact", "a.tar"], 73), (["import", "a.tar"], 73),
            (["backup", "a.realm", "a.tar", "--single-file"], 73),
            (["backup", "a.realm", "a.tar", "--update"], 73),
            (["backup", "a.realm", "c.tar", "--update", "--single-file"], 64),
        ] as [([String], Int32)] {
            let process = try ToolProcess(arguments, in: folder)
            process.closeInput()
            let result = try await process.result()
            expectEqual(result.code, code, "\(arguments) \(result.errors)")
        }
        try await expectEqual(folder.run("export", "a.tar").output, exported)
    }

    @Test func queriesFindObjectsWithoutTheirClass() async throws {
        let folder = try ToolFolder()
        try await folder.makeRealm("a.realm", nodeCount: 40)
        let exported = try await folder.run("export", "a.realm", "--class", "ToolNode")
        let lines = objects(exported.output)
        func find(_ predicate: String) async throws -> [Substring] {
            let result = try await folder.run("query", "a.realm", "ToolNode", predicate)
            expectTrue(result.code == 0 && result.errors == "", "\(result.errors)")
            return result.output.split(separator: "\n")
        }
        try await expectEqual(find("id < 2 OR next.id == 5"), [lines[0], lines[1], lines[4]])
        try await expectEqual(
            find("ANY tags == 't1' SORT(id DESC) LIMIT(2)"), [lines[37], lines[34]])
        try await expectEqual(find("names['n'] == 7 AND marks.node.id == 0"), [lines[7]])
        try await expectEqual(
            find("id > 30 SORT(names['n'] DESC) LIMIT(1)"), [lines[39]])
        try await expectEqual(find("@links.ToolNode.next.id == 9"), [lines[10]])
        let all = try await folder.run("query", "a.realm", "ToolNode")
        expectEqual(all.output.split(separator: "\n"), lines)
        let loose = try await folder.run("query", "a.realm", "ToolLoose", "number == 2")
        expectTrue(loose.code == 0 && loose.output == "")
    }

    @Test(
        arguments: [
            (["query", "a.realm"], 64, "Missing expected argument"),
            (["query", "a.realm", "Cat"], 65, "no class \"Cat\""),
            (["query", "a.realm", "ToolNode", "idd > 3"], 64, "at column 1: ToolNode has no"),
            (["query", "none.realm", "ToolNode"], 66, "does not exist"),
            (["export"], 64, "Missing expected argument"),
            (["unknown"], 64, "unknown"),
            (["import", "x.realm", "--batch-size", "0"], 64, "must be at least 1"),
            (["import", ""], 64, "The path is empty"),
            (["backup", "a.realm", ""], 64, "The path is empty"),
            (["import", "x.realm", "--update", "perhaps"], 64, "perhaps"),
            (["export", "none.realm"], 66, "none.realm"),
            (["schema", "none.realm"], 66, "does not exist"),
            (["info", "a.txt"], 73, "a.txt"),
            (["verify", "none.realm"], 66, "none.realm"),
            (["export", "a.realm", "--class", "Cat"], 65, "no class Cat"),
            (["export", "a.realm", "--class", "ToolMark"], 65, "is embedded"),
            (["export", "a.realm", "-o", "no/such"], 66, "no/such"),
            (["import", "x.realm", "none.jsonl"], 66, "none.jsonl"),
            (["import", "x.realm", "a.txt"], 65, "Line 1 is not valid JSON"),
            (
                ["import", "x.realm"], 65,
                "Line 2: A.i is of type int and cannot hold the string"
            ),
            (
                ["import", "a.realm"], 65,
                "Line 2: A.i is of type int and cannot hold the string"
            ),
        ] as [([String], Int32, String)])
    func badInputIsASentenceAndACode(
        _ arguments: [String], _ code: Int32, _ says: String
    ) async throws {
        let folder = try ToolFolder()
        try await folder.makeRealm("a.realm", nodeCount: 2)
        try Data("hello\n".utf8).write(to: folder["a.txt"])
        let before = try await folder.run("export", "a.realm").output
        let process = try ToolProcess(arguments, in: folder)
        process.type(
            #"{"regnum":1,"classes":[{"name":"A","properties":[{"name":"i","type":"int"}]}]}"#
                + "\n"
                + #"{"class":"A","values":{"i":"x"}}"#)
        process.closeInput()
        let result = try await process.result()
        expectTrue(result.code == code && result.output == "")
        expectTrue(result.errors.contains(says), "\(result.errors)")
        expectTrue(!FileManager.default.fileExists(atPath: folder["x.realm"].path))
        try await expectEqual(folder.run("export", "a.realm").output, before)
    }

    /// Also if they are asymmetric, which `Realm.isEmpty` doesn't count.
    @Test func batchesBeforeAnInvalidLineStayInANewRealm() async throws {
        let folder = try ToolFolder()
        for (name, kind) in [("plain", ""), ("asymmetric", #""asymmetric":true,"#)] {
            let schema =
                #"{"regnum":1,"classes":[{"name":"A",\#(kind)"#
                + #""properties":[{"name":"i","type":"int"}]}]}"#
            let lines = [
                schema, #"{"class":"A","values":{"i":1}}"#, #"{"class":"A","values":{"i":2}}"#,
                #"{"class":"A","values":{"i":"x"}}"#,
            ]
            let result = try await folder.run(
                "import", "\(name).realm", "--batch-size", "3",
                input: lines.joined(separator: "\n"))
            expectTrue(result.code == 65 && result.errors.contains("Line 4"), "\(result.errors)")
            let exported = try await folder.run("export", "\(name).realm")
            expectTrue(exported.code == 0 && objects(exported.output).count == 2, "\(exported)")
        }
    }

    /// Also if it has no objects.
    @Test func importStandsIfItsOutputCannotBeWritten() async throws {
        let folder = try ToolFolder()
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(full >= 0)
        let process = try ToolProcess(["import", "x.realm"], in: folder, output: full)
        process.type(
            #"{"regnum":1,"classes":[{"name":"A","properties":[{"name":"i","type":"int"}]}]}"#)
        process.closeInput()
        let result = try await process.result()
        expectTrue(result.code == 74 && result.errors.contains("No space left"))
        let schema = try await folder.run("schema", "x.realm")
        expectTrue(schema.code == 0 && schema.output.contains("A: Object"), "\(schema)")
    }

    @Test func outputThatNobodyReadsEndsTheTool() async throws {
        let folder = try ToolFolder()
        try await folder.makeRealm("a.realm", nodeCount: 5_000)
        let ends = try ToolProcess.pipe()
        close(ends[0])
        let closed = try ToolProcess(["export", "a.realm"], in: folder, output: ends[1])
        let result = try await closed.result()
        expectTrue(result.code == 141 && result.errors == "")
        // A full disk is reported as an error.
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(full >= 0)
        let failed = try ToolProcess(["export", "a.realm"], in: folder, output: full)
        let failure = try await failed.result()
        expectTrue(failure.code == 74 && failure.errors.contains("No space left"))
    }

    /// A reader that closes the pipe early gets the beginning of the export, and a slow one gets
    /// all of it.
    @Test func slowReadersGetAllOfTheOutput() async throws {
        let folder = try ToolFolder()
        try await folder.makeRealm("a.realm", nodeCount: 5_000)
        let realm = try await folder.open("a.realm", readOnly: true)
        let expected = Array(try await realm.snapshot().json().utf8)
        await realm.close()
        expectTrue(expected.count > 500_000)  // far more than a pipe holds
        for limit in [1_000, 200_000, Int.max] {
            let ends = try ToolProcess.pipe()
            // The tool must cope with a nonblocking pipe.
            _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
            let process = try ToolProcess(["export", "a.realm"], in: folder, output: ends[1])
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while bytes.count < limit {
                let count = read(ends[0], &buffer, buffer.count)
                if count <= 0 { break }
                bytes += buffer[..<count]
            }
            close(ends[0])
            let result = try await process.result()
            expectTrue(result.code == (limit == .max ? 0 : 141))
            expectTrue(bytes.elementsEqual(expected.prefix(bytes.count)))
            if limit == .max { expectEqual(bytes.count, expected.count) }
        }
    }
}
