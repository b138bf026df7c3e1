import Regnum
import RegnumSimulation

/// The origin of a stream's rows.
struct StreamSource<Model: StreamModel>: Sendable {
    let name: String
    /// Whether it has an order of its own that commits edit, like a list.
    let isList: Bool
    let owner: MirrorOwner?
    let own: MirrorInterest.Own
    let live: @Sendable (Realm) -> LiveResults<Model>
    let plain: @Sendable (MirrorWorld) -> [MirrorEntry]
}

extension StreamSource where Model: Object {
    /// All objects of the class.
    static var all: StreamSource {
        StreamSource(
            name: "all", isList: false, owner: nil, own: .table,
            live: { $0.objects(Model.self) },
            plain: { $0.serials(Model.mirrorClass).map { MirrorEntry(serial: $0) } })
    }
}

extension StreamSource {
    /// A list of the object with a key.
    static func list(
        of owner: MirrorOwner, _ property: Int,
        _ live: @escaping @Sendable (Realm) -> LiveResults<Model>
    ) -> StreamSource {
        StreamSource(
            name: "\(owner.key).\(owner.kind.properties[property].name)", isList: true,
            owner: owner, own: .elements(property), live: live,
            plain: { world in
                let slots = owner.row(world).flatMap { world[$0]?.slots(property) } ?? []
                return slots.map { MirrorEntry(serial: $0.value.int ?? 0, slot: $0.identity) }
            })
    }

    /// The objects in a map of the object with a key, in the order of the map's keys.
    static func map(
        of owner: MirrorOwner, _ property: Int,
        _ live: @escaping @Sendable (Realm) -> LiveResults<Model>
    ) -> StreamSource {
        StreamSource(
            name: "objects of \(owner.key).\(owner.kind.properties[property].name)",
            isList: false, owner: owner,
            own: .objectsOfMap(entries: owner.kind.elements(property)),
            live: live,
            plain: { world in
                let targets = owner.row(world).flatMap { world[$0]?.targets(property) } ?? []
                return targets.map { MirrorEntry(serial: $0) }
            })
    }

    /// An inverse of the object with a key.
    static func inverse(
        of owner: MirrorOwner, _ inverse: MirrorInverse,
        _ live: @escaping @Sendable (Realm) -> LiveResults<Model>
    ) -> StreamSource {
        let kind = inverse.origin.properties[inverse.property].kind
        return StreamSource(
            name: "inverse of \(owner.key)", isList: false, owner: owner,
            own: .backlinks(
                inverse.property, isList: kind.isCollection,
                entries: kind.isMap ? inverse.origin.elements(inverse.property) : nil),
            live: live,
            plain: { world in
                let origins = owner.row(world).map { world.origins($0, inverse) } ?? []
                return origins.map { MirrorEntry(serial: $0) }
            })
    }
}
