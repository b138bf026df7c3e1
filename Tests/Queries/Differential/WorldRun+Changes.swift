import FoundationEssentials
import Regnum
import RegnumTestSupport

@testable import RegnumTestModels

extension WorldRun {
    /// Makes a random change, in the transaction and outside of it.
    static func change(
        _ world: inout PlainWorld, _ tx: Transaction, _ random: inout SeededRandom
    ) throws {
        let id = world.nodes.randomElement(using: &random)
        guard let id, let node = tx.object(WorldNode.self, forPrimaryKey: id) else { return }
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            let target = world.randomNode(&random, nilShare: 3)
            world.setNext(id, target)
            node.next = target.flatMap { tx.object(WorldNode.self, forPrimaryKey: $0) }
        case 1:
            let nodes = (0..<Int.random(in: 0..<4, using: &random)).compactMap { _ in
                world.randomNode(&random, nilShare: 0)
            }
            world.setNodes(id, nodes)
            node.nodes.removeAll()
            node.nodes.append(
                objectsIn: nodes.compactMap { tx.object(WorldNode.self, forPrimaryKey: $0) })
        case 2:
            let list = PlainList.allCases.randomElement(using: &random) ?? .ints
            let elements = list.sample(&random, maxCount: 4)
            world.set(id, list, elements)
            node.set(list, elements)
        case 3 where world.nodes.count > 4:
            world.delete(id)
            tx.delete(node)
        case 4:
            let new = world.nextID
            world.add(new, &random)
            let node = WorldNode()
            node.id = new
            for property in PlainProperty.ofNodes { node.set(property, world.value(property, new)) }
            for list in PlainList.allCases {
                node.set(list, world.object(new)?[list] ?? PlainElements())
            }
            try tx.add(node)
        default:
            let property = PlainProperty.ofNodes.randomElement(using: &random) ?? .int
            let value = property.sample(&random)
            world.set(id, property, value)
            node.set(property, value)
        }
    }
}
