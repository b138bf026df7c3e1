import Regnum
import RegnumSimulation

/// The class to which links refer. It has links, embedded objects and types persisted as such, in
/// all containers.
final class AtlasNode: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var next: AtlasNode?
    @Persisted var nodes: List<AtlasNode>
    @Persisted var nodeSet: MutableSet<AtlasNode>
    @Persisted var nodeMap: Map<String, AtlasNode?>
    @Persisted var box: AtlasBox?
    @Persisted var boxes: List<AtlasBox>
    @Persisted var boxMap: Map<String, AtlasBox?>
    @Persisted var spot: AtlasSpot
    @Persisted var maybeSpot: AtlasSpot?
    @Persisted var spots: List<AtlasSpot>
    @Persisted var spotMap: Map<String, AtlasSpot?>
    @Persisted var sign: AtlasSign?
    @Persisted var signs: List<AtlasSign>
    @Persisted(indexed: true) var tag: String?
    @Persisted(originProperty: "next") var previous: LinkingObjects<AtlasNode>
    @Persisted(originProperty: "nodes") var listedBy: LinkingObjects<AtlasNode>
    @Persisted(originProperty: "nodeSet") var heldBy: LinkingObjects<AtlasNode>
    @Persisted(originProperty: "nodeMap") var mappedBy: LinkingObjects<AtlasNode>
    @Persisted(originProperty: "node") var boxedBy: LinkingObjects<AtlasBox>
}

final class AtlasBox: EmbeddedObject {
    @Persisted var size: Int
    @Persisted var text: String
    @Persisted var marks: List<Int>
    @Persisted var colors: MutableSet<Int>
    @Persisted var pairs: Map<String, Int>
    @Persisted var node: AtlasNode?
    @Persisted var lid: AtlasLid?
    @Persisted var content: AnyRealmValue
    @Persisted(originProperty: "box") var owners: LinkingObjects<AtlasNode>
    @Persisted(originProperty: "boxes") var listOwners: LinkingObjects<AtlasNode>
    @Persisted(originProperty: "boxMap") var mapOwners: LinkingObjects<AtlasNode>
}

final class AtlasLid: EmbeddedObject {
    @Persisted var text: String
}

extension AtlasNode: AtlasModel {
    static let slots: [AtlasSlot<AtlasNode>] = [
        .object("next", .link, \.next), .objects("nodes", .link, \.nodes),
        .objectSet("nodeSet", .link, \.nodeSet), .objectMap("nodeMap", .link, \.nodeMap),
        .object("box", .box, \.box), .objects("boxes", .box, \.boxes),
        .objectMap("boxMap", .box, \.boxMap),
        .value("spot", .spot, \.spot), .value("maybeSpot", .spot, \.maybeSpot),
        .list("spots", .spot, \.spots), .map("spotMap", .spot, \.spotMap),
        .value("sign", .sign, \.sign), .list("signs", .sign, \.signs),
        .value("tag", .text, \.tag),
    ]

    static let others: [ObjectBase.Type] = [
        AtlasBox.self, AtlasLid.self, AtlasPoint.self, AtlasBoard.self,
    ]
}

/// The stored objects of a transaction to which values can link.
struct AtlasNodes {
    let tx: Transaction

    subscript(number: Int) -> AtlasNode { object(number) }

    func kin(_ number: Int) -> AtlasAnyHolder { object(number) }

    private func object<T: AtlasModel>(_ number: Int) -> T {
        guard let object = tx.object(T.self, forPrimaryKey: number) else {
            fatalError("There is no \(T.self) \(number) to link to.")
        }
        return object
    }
}

extension AtlasNode: AtlasTarget {
    static func make(_ value: AtlasValue, _ nodes: AtlasNodes) -> AtlasNode {
        guard case .link(let number) = value else { fatalError("\(value) is not a link.") }
        return nodes[number]
    }

    static func plain(_ object: AtlasNode) -> AtlasValue { .link(object.number) }
    static func plain(_ object: Frozen<AtlasNode>) -> AtlasValue { .link(object.number) }

    func apply(_ edit: AtlasBoxEdit, _ nodes: AtlasNodes) { fatalError("A node is not a box.") }
}

extension AtlasBox: AtlasTarget {
    static func make(_ value: AtlasValue, _ nodes: AtlasNodes) -> AtlasBox {
        guard case .box(let box) = value else { fatalError("\(value) is not a box.") }
        let made = AtlasBox()
        made.size = box.size
        made.text = box.text.text
        made.marks.append(objectsIn: box.marks)
        made.colors.formUnion(box.colors)
        for entry in box.pairs { made.pairs[entry.key.text] = Int.make(entry.value) }
        made.node = box.node.map { nodes[$0] }
        made.lid = box.lid.map { AtlasLid(value: [$0.text]) }
        made.content = AnyRealmValue.make(box.content, nodes)
        return made
    }

    static func plain(_ object: AtlasBox) -> AtlasValue {
        .box(
            AtlasBoxValue(
                size: object.size, text: AtlasBytes(object.text), marks: Array(object.marks),
                colors: Array(object.colors),
                pairs: object.pairs.map {
                    AtlasEntry(key: AtlasBytes($0.key), value: .int($0.value))
                },
                node: object.node?.number, lid: object.lid.map { AtlasBytes($0.text) },
                content: object.content.plain))
    }

    static func plain(_ object: Frozen<AtlasBox>) -> AtlasValue {
        .box(
            AtlasBoxValue(
                size: object.size, text: AtlasBytes(object.text), marks: Array(object.marks),
                colors: Array(object.colors),
                pairs: object.pairs.map {
                    AtlasEntry(key: AtlasBytes($0.key), value: .int($0.value))
                },
                node: object.node?.number, lid: object.lid.map { AtlasBytes($0.text) },
                content: object.content.plain))
    }

    func apply(_ edit: AtlasBoxEdit, _ nodes: AtlasNodes) {
        switch edit {
        case .size(let size): self.size = size
        case .text(let text): self.text = text.text
        case .mark(let mark): marks.append(mark)
        case .color(let color): colors.insert(color)
        case .pair(let key, let value): pairs[key.text] = value
        case .node(let number): node = number.map { nodes[$0] }
        case .lid(let text): lid = text.map { AtlasLid(value: [$0.text]) }
        case .lidText(let text): lid?.text = text.text
        case .content(let value): content = AnyRealmValue.make(value, nodes)
        }
    }
}
