import Regnum
import RegnumSimulation
import RegnumTestSupport

/// A class with properties of one value type, in each container, of the type and of its optional.
protocol AtlasHolder: AtlasModel {
    associatedtype Element: AtlasCell & RequiredValue
    var one: Element { get set }
    var maybe: Element? { get set }
    var list: List<Element> { get set }
    var maybeList: List<Element?> { get set }
    var set: MutableSet<Element> { get set }
    var maybeSet: MutableSet<Element?> { get set }
    var map: Map<String, Element> { get set }
    var maybeMap: Map<String, Element?> { get set }
}

extension AtlasHolder {
    static func holderSlots(_ kind: AtlasKind) -> [AtlasSlot<Self>] {
        [
            .value("one", kind, \.one), .value("maybe", kind, \.maybe),
            .list("list", kind, \.list), .list("maybeList", kind, \.maybeList),
            .set("set", kind, \.set), .set("maybeSet", kind, \.maybeSet),
            .map("map", kind, \.map), .map("maybeMap", kind, \.maybeMap),
        ]
    }
}

/// The classes of the test. To add a value type, add a case of `AtlasKind` with its pool, an
/// extension that makes it an `AtlasCell`, a class, and its entry here.
enum AtlasTable {
    /// The nodes come first in each sequence.
    static let nodes: any AtlasModel.Type = AtlasNode.self

    /// Part of every third sequence.
    static let anyHolder: any AtlasModel.Type = AtlasAnyHolder.self

    static let holders: [any AtlasModel.Type] = [
        AtlasBoolHolder.self,
        AtlasIntHolder.self,
        AtlasInt8Holder.self,
        AtlasInt16Holder.self,
        AtlasInt32Holder.self,
        AtlasInt64Holder.self,
        AtlasFloatHolder.self,
        AtlasDoubleHolder.self,
        AtlasDecimal128Holder.self,
        AtlasStringHolder.self,
        AtlasDataHolder.self,
        AtlasDateHolder.self,
        AtlasUUIDHolder.self,
        AtlasObjectIdHolder.self,
        AtlasLevelHolder.self,
        AtlasTinyHolder.self,
        AtlasWordHolder.self,
        AtlasShareHolder.self,
        AtlasCelsiusHolder.self,
        AtlasSerialHolder.self,
    ]

    /// Returns the nodes, and holders of `count` types.
    static func classes(_ count: Int, _ random: inout SeededRandom) -> [any AtlasModel.Type] {
        let hasAny = random.next() % 3 == 0
        let others = holders.shuffled(using: &random)
        return [nodes] + (hasAny ? [anyHolder] : []) + others.prefix(hasAny ? count - 1 : count)
    }

    static func shapes(_ classes: [any AtlasModel.Type]) -> [AtlasClassShape] {
        classes.map { type in
            func shape<T: AtlasModel>(_ type: T.Type) -> AtlasClassShape {
                AtlasClassShape(name: "\(type)", slots: type.slots.map(\.shape))
            }
            return shape(type)
        }
    }

    /// Returns the classes together with their embedded classes.
    static func objectTypes(_ classes: [any AtlasModel.Type]) -> [ObjectBase.Type] {
        classes.flatMap { [$0 as ObjectBase.Type] + $0.others }
    }
}
