import Regnum
import RegnumTestSupport
import Testing

/// An object, its lists and its inverses, retained throughout the changes of a transaction.
struct MutationWitness {
    private let key: Int
    /// The operation that created the object; a later one with the same key is a different object.
    private let birth: Int
    private let node: GraphNode
    private let nodes: List<GraphNode>
    private let tags: List<String>
    private let boxes: List<GraphBox>
    private let previous: LinkingObjects<GraphNode>
    private let holders: LinkingObjects<GraphNode>

    init(_ node: GraphNode, key: Int, birth: Int) {
        (self.key, self.birth, self.node) = (key, birth, node)
        (nodes, tags, boxes) = (node.nodes, node.tags, node.boxes)
        (previous, holders) = (node.previous, node.holders)
    }

    /// Throws unless all of it matches the world, or is invalid if the object was deleted or its
    /// creation undone.
    func check(_ world: PlainRealm) throws {
        guard world.nodeBirths[key] == birth, let plain = world.nodes[key] else {
            try #require(node.isInvalidated && nodes.isInvalidated && tags.isInvalidated)
            try #require(previous.isInvalidated && holders.isInvalidated)
            return
        }
        try #require(!node.isInvalidated && !nodes.isInvalidated && !previous.isInvalidated)
        try #require(PlainNode(node) == plain)
        try #require(nodes.map(\.key) == plain.nodes && Array(tags) == plain.tags)
        let shown = boxes.map { PlainBox($0) }
        try #require(shown == plain.boxes)
        let linking = world.nodes.filter { $0.value.next == key }.keys.sorted()
        try #require(previous.map(\.key).sorted() == linking)
        let times = world.nodes.values.reduce(0) { $0 + $1.nodes.count { $0 == key } }
        try #require(holders.count == times)
    }
}
