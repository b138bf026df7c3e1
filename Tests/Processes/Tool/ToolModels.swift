import Foundation
import Regnum
import RegnumTestSupport

final class ToolNode: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var text: String
    @Persisted var weight: Double?
    @Persisted var next: ToolNode?
    @Persisted var marks: List<ToolMark>
    @Persisted var names: Map<String, Int>
    @Persisted var tags: MutableSet<String>
}

final class ToolMark: EmbeddedObject {
    @Persisted var at: Date
    @Persisted var node: ToolNode?
}

final class ToolLoose: Object {
    @Persisted var number: Int
    @Persisted var others: List<ToolLoose>
}

let toolTypes: [ObjectBase.Type] = [ToolNode.self, ToolMark.self, ToolLoose.self]

extension ToolFolder {
    func open(_ name: String, readOnly: Bool = false) async throws -> Realm {
        var configuration = Realm.Configuration(location: .file(self[name]), objectTypes: toolTypes)
        configuration.readOnly = readOnly
        return try await Realm.open(configuration)
    }

    /// Makes a closed realm with nodes linked in a cycle.
    func makeRealm(_ name: String, nodeCount: Int, schemaVersion: UInt64 = 0) async throws {
        var configuration = Realm.Configuration(location: .file(self[name]), objectTypes: toolTypes)
        configuration.schemaVersion = schemaVersion
        let realm = try await Realm.open(configuration)
        try await realm.write { tx in
            let nodes = try (0..<nodeCount).map { id in
                let node = ToolNode(value: ["id": id, "text": "node \(id)\n", "weight": 0.1])
                node.names["n"] = id
                node.tags.insert("t\(id % 3)")
                try tx.add(node)
                return node
            }
            for (id, node) in nodes.enumerated() {
                node.next = nodes[(id + 1) % nodeCount]
                node.marks.append(
                    ToolMark(value: ["at": Date(timeIntervalSince1970: 0.25), "node": nodes[0]]))
            }
            let loose = ToolLoose(value: ["number": 1])
            loose.others.append(loose)
            try tx.add(loose)
        }
        await realm.close()
    }
}
