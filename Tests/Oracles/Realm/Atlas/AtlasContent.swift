import Regnum
import RegnumSimulation

// Converts the library's views of the realm to the oracle's representation.

extension AtlasContent {
    init(_ tx: Transaction, _ classes: [any AtlasModel.Type]) {
        func states<T: AtlasModel>(_ type: T.Type) -> [Int: [AtlasState]] {
            let slots = type.slots
            let pairs = tx.objects(type).map { object in
                (object.number, slots.map { $0.read(object) })
            }
            return Dictionary(pairs) { _, _ in [] }
        }
        let inverses = tx.objects(AtlasNode.self).map { node in
            let sources: [[Int]] = [
                node.previous.map(\.number), node.listedBy.map(\.number),
                node.heldBy.map(\.number), node.mappedBy.map(\.number),
                node.boxedBy.map(\.size), node.owners,
            ]
            return (node.number, sources.map { $0.sorted() })
        }
        self.init(
            objects: classes.map { states($0) },
            inverses: Dictionary(inverses) { _, _ in [] })
    }

    init(_ snapshot: Snapshot, _ classes: [any AtlasModel.Type]) {
        func states<T: AtlasModel>(_ type: T.Type) -> [Int: [AtlasState]] {
            let slots = type.slots
            let pairs = snapshot.objects(type).map { object in
                (object.number, slots.map { $0.readFrozen(object) })
            }
            return Dictionary(pairs) { _, _ in [] }
        }
        let inverses = snapshot.objects(AtlasNode.self).map { node in
            let sources: [[Int]] = [
                node.previous.map { $0.number }, node.listedBy.map { $0.number },
                node.heldBy.map { $0.number }, node.mappedBy.map { $0.number },
                node.boxedBy.map { $0.size }, node.owners,
            ]
            return (node.number, sources.map { $0.sorted() })
        }
        self.init(
            objects: classes.map { states($0) },
            inverses: Dictionary(inverses) { _, _ in [] })
    }
}

extension AtlasNode {
    /// The owners that its boxes report.
    fileprivate var owners: [Int] {
        var owners = box?.owners.map(\.number) ?? []
        for box in boxes { owners += box.listOwners.map(\.number) }
        for entry in boxMap { owners += entry.value?.mapOwners.map(\.number) ?? [] }
        return owners
    }
}

extension Frozen<AtlasNode> {
    fileprivate var owners: [Int] {
        var owners = self.box?.owners.map { $0.number } ?? []
        for box in self.boxes { owners += box.listOwners.map { $0.number } }
        for entry in self.boxMap { owners += entry.value?.mapOwners.map { $0.number } ?? [] }
        return owners
    }
}
