import Foundation
import Regnum
import RegnumTestSupport
import Testing

@Suite struct ToolSalvageTests {
    /// The parts of the JSON object that these tests examine.
    private struct Report: Decodable {
        struct Missing: Decodable {
            let first: UInt64
            let last: UInt64?
        }

        struct Class: Decodable {
            let className: String
            let savedCount: Int
        }

        let isComplete: Bool
        let missingCommits: [Missing]
        let classes: [Class]
    }

    @Test func soundRealmIsCopied() async throws {
        let folder = try ToolFolder()
        try await folder.makeRealm("a.realm", nodeCount: 30, schemaVersion: 3)
        let result = try await folder.run("salvage", "a.realm", "b.realm")
        expectTrue(result.code == 0 && result.errors == "", "\(result)")
        expectTrue(result.output.contains("ToolNode: 30 saved, 0 lost\n"), "\(result)")
        expectTrue(result.output.hasSuffix("nothing was lost\n"), "\(result)")
        var exports: [[Substring]] = []
        for name in ["a.realm", "b.realm"] {
            let export = try await folder.run("export", name)
            expectEqual(export.code, 0)
            // the first line has the version
            exports.append(Array(export.output.split(separator: "\n").dropFirst()))
        }
        expectTrue(!exports[0].isEmpty && exports[0] == exports[1])
        let again = try await folder.run("salvage", "a.realm", "b.realm")
        expectTrue(again.code == 73 && again.errors.contains("already exists"), "\(again)")
    }

    // Covers 12.16
    @Test func realmThatCannotBeOpenedIsSalvaged() async throws {
        let folder = try ToolFolder()
        try await folder.makeRealm("a.realm", nodeCount: 30)
        let realm = try await folder.open("a.realm")
        for number in 2...3 {
            try await realm.write { tx in
                let loose = ToolLoose(value: ["number": number])
                try tx.add(loose)
                tx.objects(ToolNode.self).first?.text = "changed \(number)"
            }
        }
        await realm.close()
        let file = folder["a.realm"].appending(path: "log-0-0")
        var bytes = try Data(contentsOf: file)
        let place = try requireValue(bytes.range(of: Data("changed 2".utf8))?.lowerBound)
        bytes[place] ^= 1
        try bytes.write(to: file, options: .atomic)
        let export = try await folder.run("export", "a.realm")
        expectEqual(export.code, 65)
        let result = try await folder.run("salvage", "a.realm", "b.realm", "--json")
        expectTrue(result.code == 1 && result.errors == "", "\(result)")
        let report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
        expectTrue(!report.isComplete && report.missingCommits.count == 1, "\(result)")
        expectTrue(report.missingCommits[0].first == 2 && report.missingCommits[0].last == 2)
        let loose = report.classes.first { $0.className == "ToolLoose" }
        expectEqual(loose?.savedCount, 2)
        let text = try await folder.run("query", "b.realm", "ToolNode", "text == 'changed 3'")
        expectTrue(text.code == 0 && text.output.contains("changed 3"), "\(text)")
    }
}
