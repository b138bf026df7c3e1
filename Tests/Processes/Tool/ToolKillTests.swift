import Foundation
import Glibc
import Regnum
import RegnumTestSupport
import Testing

@Suite struct ToolKillTests {
    private let nodeCount = 600
    private let batchSize = 20

    /// Returns the schema line, and nodes that each link to the next one, which comes later.
    private func lines() async throws -> [String] {
        let folder = try ToolFolder()
        try await folder.makeRealm("a.realm", nodeCount: nodeCount)
        let text = try await folder.run("export", "a.realm", "--class", "ToolNode").output
        return text.split(separator: "\n").map { $0 + "\n" }
    }

    /// A killed import leaves complete batches and the targets of their links; importing again
    /// completes it.
    @Test func killedImportLeavesWholeBatches() async throws {
        var random = SeededRandom()
        let lines = try await lines()
        for _ in 0..<4 {
            let folder = try ToolFolder()
            let start = try await folder.run("import", "b.realm", input: lines[0])
            try #require(start.code == 0)
            let realm = try await folder.open("b.realm", readOnly: true)
            let process = try ToolProcess(
                ["import", "b.realm", "--batch-size", "\(batchSize)"], in: folder)
            let batches = UInt64.random(in: 1...UInt64(nodeCount / batchSize - 1), using: &random)
            let version = realm.snapshot().version + batches
            let typing = Task.detached { process.type(lines.joined()) }
            _ = try await realm.snapshot(atLeast: version)
            process.kill()
            try await expectEqual(process.result().code, -SIGKILL)
            _ = await typing.value
            process.closeInput()
            await realm.close()

            let again = try await folder.open("b.realm")
            let nodes = again.snapshot().objects(ToolNode.self)
            let complete = nodes.where { $0.text != "" }.count
            // The schema is the first line of the first batch.
            expectTrue((complete + 1) % batchSize == 0 || complete == nodeCount)
            expectTrue(complete >= Int(batches) * batchSize - 1)
            expectEqual(nodes.count, complete + (complete == nodeCount ? 0 : 1))
            for node in nodes where node.text != "" {
                expectTrue(node.next?.id == (node.id + 1) % nodeCount && node.marks.count == 1)
            }
            await again.close()
            let rest = try await folder.run(
                "import", "b.realm", "--update", "modified", input: lines.joined())
            expectTrue(rest.code == 0 && rest.output == "\(nodeCount) objects imported\n")
            // In order of creation, which differs because of the links.
            let text = try await folder.run("export", "b.realm").output
            expectEqual(
                Set(text.split(separator: "\n").dropFirst().map { $0 + "\n" }),
                Set(lines.dropFirst()))
        }
    }

    @Test func killedAtomicImportLeavesNothing() async throws {
        let lines = try await lines()
        let folder = try ToolFolder()
        let process = try ToolProcess(["import", "b.realm", "--atomic"], in: folder)
        // More than fits into a pipe, so that some of it has been read when this returns.
        expectTrue(process.type(lines.joined()))
        process.kill()
        try await expectEqual(process.result().code, -SIGKILL)
        let realm = try await folder.open("b.realm")
        expectTrue(realm.isEmpty)
        await realm.close()
        try await expectEqual(folder.run("import", "b.realm", input: lines.joined()).code, 0)
    }

    /// An interrupted command removes what it has begun to write. It is repeated, because it may
    /// end before the signal comes.
    @Test(arguments: ["backup", "export", "restore"])
    func interruptedCommandLeavesNothing(command: String) async throws {
        let folder = try ToolFolder()
        try await folder.makeRealm("a.realm", nodeCount: 30_000)
        try FileManager.default.createDirectory(
            at: folder["to"], withIntermediateDirectories: false)
        func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder["to"].path)
        }
        var count = 0
        for _ in 0..<100 where count < 2 {
            let option = command == "export" ? ["--output"] : []
            let process = try ToolProcess([command, "a.realm"] + option + ["to/new"], in: folder)
            await process.terminate(onceSomethingIsIn: folder["to"])
            let code = try await process.result().code
            if code == 128 + SIGTERM {
                count += 1
                try expectEqual(names(), [])
            } else {
                expectEqual(code, 0)
                try expectEqual(names(), ["new"])
                try FileManager.default.removeItem(at: folder["to/new"])
            }
        }
        expectTrue(count > 0)
    }
}
