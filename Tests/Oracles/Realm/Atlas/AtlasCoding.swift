import FoundationEssentials
import Regnum
import RegnumSimulation
import RegnumTestSupport

/// Converts values of one type from and to the oracle's values.
struct AtlasCoding<Value>: Sendable {
    let make: @Sendable (AtlasValue, AtlasNodes) -> Value
    let plain: @Sendable (Value) -> AtlasValue
    /// The value in the form that `create(value:)` takes, if it differs.
    var given: (@Sendable (AtlasValue, AtlasNodes) -> Any?)?
    /// Applies a change within a value: an embedded object, a list or a dictionary.
    var change: @Sendable (Value, AtlasSlotEdit, AtlasNodes) -> Void = { value, edit, _ in
        fatalError("\(edit) within \(value)")
    }

    func given(_ value: AtlasValue, _ nodes: AtlasNodes) -> Any? {
        given.map { $0(value, nodes) } ?? make(value, nodes)
    }
}

// MARK: Values

extension AtlasCell {
    static var coding: AtlasCoding<Self> {
        AtlasCoding { value, _ in
            make(value)
        } plain: {
            $0.plain
        }
    }
}

// MARK: Objects

/// A class whose objects are values of links or embedded objects.
protocol AtlasTarget: ObjectBase, SendableMetatype {
    static func make(_ value: AtlasValue, _ nodes: AtlasNodes) -> Self
    static func plain(_ object: Self) -> AtlasValue
    static func plain(_ object: Frozen<Self>) -> AtlasValue
    func apply(_ edit: AtlasBoxEdit, _ nodes: AtlasNodes)
}

extension AtlasTarget {
    static var coding: AtlasCoding<Self> {
        AtlasCoding {
            make($0, $1)
        } plain: {
            plain($0)
        } change: {
            $0.change($1, $2)
        }
    }

    static var optionalCoding: AtlasCoding<Self?> {
        AtlasCoding {
            $0 == .null ? nil : make($0, $1)
        } plain: { (object: Self?) in
            object.map { plain($0) } ?? .null
        } change: {
            $0?.change($1, $2)
        }
    }

    private func change(_ edit: AtlasSlotEdit, _ nodes: AtlasNodes) {
        guard case .editBox([], let edit) = edit else { fatalError("\(edit) of an object") }
        apply(edit, nodes)
    }
}

// MARK: Values of any type

extension AnyRealmValue {
    /// Passed to `create(value:)` on its own, it is converted to plain Swift values.
    static let coding = AtlasCoding<AnyRealmValue>(
        make: make, plain: { $0.plain }, given: given, change: change)

    /// Within collections it is passed unchanged.
    static let elementCoding = AtlasCoding<AnyRealmValue>(
        make: make, plain: { $0.plain }, change: change)

    static func make(_ value: AtlasValue, _ nodes: AtlasNodes) -> AnyRealmValue {
        switch value {
        case .null: .none
        case .bool: .bool(Bool.make(value))
        case .int: .int(Int.make(value))
        case .float: .float(Float.make(value))
        case .double: .double(Double.make(value))
        case .decimal: .decimal128(Decimal128.make(value))
        case .text: .string(String.make(value))
        case .bytes: .data(Data.make(value))
        case .date: .date(Date.make(value))
        case .uuid: .uuid(UUID.make(value))
        case .objectId: .objectId(ObjectId.make(value))
        case .link(let number): .object(nodes[number])
        case .kin(let number): .object(nodes.kin(number))
        case .items(let items): .fromArray(items.map { make($0, nodes) })
        case .entries(let entries): .dictionary(AtlasSlotEdit.map(entries) { make($0, nodes) })
        case .spot, .sign, .box: fatalError("\(value) is not a value of any type.")
        }
    }

    private static func given(_ value: AtlasValue, _ nodes: AtlasNodes) -> Any? {
        switch value {
        case .null: Any?.none
        case .bool: Bool.make(value)
        case .int: Int.make(value)
        case .float: Float.make(value)
        case .double: Double.make(value)
        case .decimal: Decimal128.make(value)
        case .text: String.make(value)
        case .bytes: Data.make(value)
        case .date: Date.make(value)
        case .uuid: UUID.make(value)
        case .objectId: ObjectId.make(value)
        case .link(let number): nodes[number]
        case .kin(let number): nodes.kin(number)
        case .items(let items): items.map { given($0, nodes) as Any }
        case .entries:
            value.nested.flatMap { AtlasSlotEdit.dictionary($0) { given($0, nodes) as Any } }
        case .spot, .sign, .box: fatalError("\(value) is not a value of any type.")
        }
    }

    var plain: AtlasValue {
        switch self {
        case .none: .null
        case .bool(let value): value.plain
        case .int(let value): value.plain
        case .float(let value): value.plain
        case .double(let value): value.plain
        case .decimal128(let value): value.plain
        case .string(let value): value.plain
        case .data(let value): value.plain
        case .date(let value): value.plain
        case .uuid(let value): value.plain
        case .objectId(let value): value.plain
        case .object(let object as AtlasNode): .link(object.number)
        case .object(let object as AtlasAnyHolder): .kin(object.number)
        case .object(let object): fatalError("\(type(of: object)) is not a class of the test.")
        case .list(let list): .items(list.map(\.plain))
        case .dictionary(let map): .entries(map.map { AtlasEntry($0.key, $0.value.plain) })
        }
    }

    private static func change(
        _ value: AnyRealmValue, _ edit: AtlasSlotEdit, _ nodes: AtlasNodes
    ) {
        guard case .inside(_, let here) = edit else { fatalError("\(edit) within \(value)") }
        switch (value, edit.descent) {
        case (.list(let list), (.at(let position), let rest)?):
            change(list[position], rest, nodes)
        case (.list(let list), nil): here.make(list) { make($0, nodes) }
        case (.dictionary(let map), (.key(let key), let rest)?):
            guard let value = map[key.text] else { fatalError("No value for the key \(key).") }
            change(value, rest, nodes)
        case (.dictionary(let map), nil): here.make(map) { make($0, nodes) }
        default: fatalError("\(edit) within \(value)")
        }
    }
}

extension FrozenAnyValue {
    var plain: AtlasValue {
        switch self {
        case .none: .null
        case .bool(let value): value.plain
        case .int(let value): value.plain
        case .float(let value): value.plain
        case .double(let value): value.plain
        case .decimal128(let value): value.plain
        case .string(let value): value.plain
        case .data(let value): value.plain
        case .date(let value): value.plain
        case .uuid(let value): value.plain
        case .objectId(let value): value.plain
        case .object(let object):
            if let node = object.object(AtlasNode.self) {
                .link(node.number)
            } else if let kin = object.object(AtlasAnyHolder.self) {
                .kin(kin.number)
            } else {
                fatalError("\(object.className) is not a class of the test.")
            }
        case .list(let list): .items(list.map(\.plain))
        case .dictionary(let values):
            // A plain dictionary, which is unordered.
            .entries(
                values.map { AtlasEntry($0.key, $0.value.plain) }.sorted { $0.key < $1.key })
        }
    }
}
