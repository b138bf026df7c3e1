internal import RegnumEngine
internal import RegnumStore

/// The objects of a class that link to an object: the inverse of a link, list, set or map property.
///
///     final class Dog: Object {
///         @Persisted var name: String
///         @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
///     }
///
/// Inverses are computed, not stored. They always reflect the current state of the transaction, and
/// contain the origin objects in creation order. An origin appears once for each occurrence of this
/// object in its property or, in a map property, once for each key. They are empty for an unmanaged
/// object, and cannot be assigned to.
public struct LinkingObjects<Element: ObjectBase> {
    let origin: String
    let handle: LinkingHandle?

    @usableFromInline init(originProperty: String) {
        origin = originProperty
        handle = nil
    }

    init(_ origin: String, _ handle: LinkingHandle) {
        self.origin = origin
        self.handle = handle
    }

    /// Whether the object was deleted or its transaction has ended. `false` for
    /// an unmanaged object.
    public var isInvalidated: Bool {
        guard let handle, !handle.binding.isRecorder else { return false }
        return !handle.binding.isReadable(row: handle.row.rawValue)
    }
}

@available(*, unavailable, message: "linking objects are confined to a transaction: use a snapshot")
extension LinkingObjects: Sendable {}

/// An object whose origin objects are queried.
final class LinkingHandle {
    let binding: ClassBinding
    let row: ObjectKey
    /// The index of the inverse property in the object's class.
    let property: Int
    @exclusivity(unchecked) private var known: (keys: [ObjectKey], edit: UInt64)?

    init(_ binding: ClassBinding, row: UInt64, property: Int) {
        self.binding = binding
        self.row = ObjectKey(rawValue: row)
        self.property = property
    }

    /// Returns the binding of the origin class.
    func origins(_ type: ObjectBase.Type) -> ClassBinding? {
        guard let core = binding.core else { return nil }
        let origins = core.binding(for: type)
        origins.refresh()
        return origins
    }

    /// Returns the query of the origin objects.
    func plan() -> QueryPlan {
        binding.schema.plan(ofOrigins: binding.schema.properties[property], row: row)
    }

    /// The error of the object's class or the origins', if one of them doesn't match the stored
    /// schema.
    private func mismatch(_ core: TransactionCore) -> Realm.Error? {
        if let mismatch = binding.mapping?.mismatch { return mismatch }
        let origin = binding.schema.properties[property].shape.objectType
        return origin.flatMap { core.binding(for: $0).mapping?.mismatch }
    }

    /// The rows of the origin objects in ascending order, cached until the next change in the
    /// transaction.
    var keys: [ObjectKey] {
        guard let core = binding.core else {
            let count = binding.tracer?.elementCount(of: binding.recorder, property) ?? 0
            return Array(repeating: .nowhere, count: count)
        }
        if !binding.isReadable(row: row.rawValue) {
            binding.failMissing(property, of: row.rawValue)
            return []
        }
        if let known, known.edit == core.editCount { return known.keys }
        guard let state = core.queryState,
            let keys = core.attempt({ () throws(StoreError) in try plan().firstKeys(.max, state) })
        else { return [] }
        if let mismatch = mismatch(core) {
            core.fail(mismatch)
            return []
        }
        known = (keys, core.editCount)
        return keys
    }

    /// Returns an element of a recorder's inverse; `nil` for the inverse of a row.
    func recorded<T: ObjectBase>(_ type: T.Type) -> T? {
        guard binding.isRecorder else { return nil }
        return binding.tracer?.element(type, of: binding.recorder, property)
    }
}

extension LinkingObjects: RandomAccessCollection {
    var keys: [ObjectKey] { handle?.keys ?? [] }

    /// The number of links to the object.
    ///
    /// - Complexity: O(log n + m) for m links, once for each state of the transaction; then O(1).
    public var count: Int { keys.count }

    /// The origin object at a position.
    ///
    /// - Precondition: `0 <= position < count`.
    /// - Complexity: That of ``count``.
    public subscript(position: Int) -> Element {
        let keys = keys
        guard position >= 0, position < keys.count, let handle,
            let origins = handle.origins(Element.self)
        else {
            if let recorder = handle?.recorded(Element.self) { return recorder }
            if let handle, handle.binding.core?.hasFailed == true,
                let origins = handle.origins(Element.self)
            {
                return origins.accessor(Element.self, row: .nowhere)
            }
            fatalError(
                "Index \(position) of LinkingObjects<\(Element.self)> is out of range: the count "
                    + "is \(keys.count)." + ReadScope.callSiteMessage)
        }
        return origins.accessor(Element.self, row: keys[position])
    }

    public func _elements(at positions: Range<Int>) -> _TakenElements<Element> {
        let keys = keys
        guard let origins = handle?.origins(Element.self) else {
            let positions = positions.clamped(to: keys.indices)
            return _TakenElements(count: positions.count) { [handle] _ in
                handle?.recorded(Element.self)
            }
        }
        return origins.loopElements(Element.self, positions.clamped(to: keys.indices)) { keys[$0] }
    }

    /// Returns an iterator over the current origin objects. The loop may modify their links.
    public func makeIterator() -> LinkingIterator<Element> {
        LinkingIterator(keys, handle)
    }
}

/// An iterator over the origin objects as of the start of the loop.
public struct LinkingIterator<Element: ObjectBase>: IteratorProtocol {
    private let keys: [ObjectKey]
    private let handle: LinkingHandle?
    private let origins: ClassBinding?
    private var position = 0

    init(_ keys: [ObjectKey], _ handle: LinkingHandle?) {
        self.keys = keys
        self.handle = handle
        origins = handle?.origins(Element.self)
    }

    public mutating func next() -> Element? {
        guard position < keys.count else { return nil }
        defer { position += 1 }
        guard let origins else { return handle?.recorded(Element.self) }
        return origins.accessor(Element.self, row: keys[position])
    }
}

extension LinkingObjects: Persistable, InverseDeclaration {
    public static var _property: _PropertyType {
        _PropertyType(shape: .linkingObjects(Element.self))
    }

    @inlinable @inline(__always)
    public static var _isScalar: Bool { false }

    public static func _makeDefault() -> LinkingObjects { LinkingObjects(originProperty: "") }

    public static func _managedValue(_ object: ObjectBase, _ column: Int32) -> LinkingObjects {
        guard let binding = object._binding else { return _makeDefault() }
        let property = Int(column < 0 ? ~column : column)
        if binding.isTracing { binding.noteRead(property) }
        let origin = binding.schema.properties[property].originProperty ?? ""
        return LinkingObjects(
            origin, LinkingHandle(binding, row: object._row, property: property))
    }

    /// Traps, because inverses are computed from links and can't be assigned to.
    public func _write(to object: ObjectBase, _ column: Int32) {
        fatalError(
            "LinkingObjects<\(Element.self)> of \(type(of: object)) cannot be assigned to: they "
                + "are the inverse of \(Element.self).\(origin).")
    }

    public static func _assigned(
        _ new: LinkingObjects, over current: LinkingObjects?
    ) -> LinkingObjects {
        fatalError(
            "LinkingObjects<\(Element.self)> cannot be assigned to: they are the inverse of a "
                + "property of \(Element.self).")
    }

    public func _content() -> _PropertyContent { _PropertyContent(content: .linkingObjects) }

    public static func _make(_ content: _PropertyContent) -> LinkingObjects? { nil }

    var originProperty: String { origin }
}

extension Persisted {
    /// Declares the inverse of a link or collection: the objects of another class whose property
    /// `originProperty` refers to this object.
    ///
    ///     @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
    @inlinable @inline(__always)
    public init<Origin: ObjectBase>(originProperty: String)
    where Value == LinkingObjects<Origin> {
        self.init(_flags: 0, _value: LinkingObjects(originProperty: originProperty))
    }
}

extension LinkingObjects: QueryCollection {}
