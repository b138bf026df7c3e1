internal import RegnumEngine
internal import RegnumStore

extension ClassSchema {
    /// Returns the stored property that a key path of the class refers to.
    ///
    /// - Precondition: The key path refers to a stored property of the class.
    func requireProperty<T: ObjectBase, V>(_ keyPath: KeyPath<T, V>) -> PropertySchema {
        guard let property = property(of: keyPath) else { trapNoProperty(keyPath) }
        return property
    }

    /// Returns the stored property that a key path of the class refers to, using the cached result
    /// if there is one (Docs/Decisions/011-key-paths.md); `nil` for anything else: a property of a
    /// linked object, or a computed or ignored property.
    func property<T: ObjectBase, V>(of keyPath: KeyPath<T, V>) -> PropertySchema? {
        if case .property(let index) = entry(keyPath) { properties[index] } else { nil }
    }

    /// Returns the stored properties that a key path of the class goes through, such as `\.name` or
    /// `\.dog?.friend?.name`, or `nil` if it doesn't consist of stored properties only.
    func path<T: ObjectBase>(of keyPath: PartialKeyPath<T>) -> PropertyPath? {
        path(entry(keyPath))
    }

    private func path(_ entry: KeyPathCache.Entry) -> PropertyPath? {
        switch entry {
        case .property(let index): PropertyPath(properties: [properties[index]], first: index)
        case .path(let path): path
        case .computed: nil
        }
    }

    /// Like `path(of:)`, but the key path may also go through elements of lists and inverses:
    /// `\.dogs[0].name` or `\.owners[0].boss?.name`. The indices are ignored; such a path
    /// refers to all elements.
    func observedPath<T: ObjectBase>(of keyPath: PartialKeyPath<T>) -> PropertyPath? {
        path(entry(keyPath, throughCollections: true))
    }

    /// Like `observedPath(of:)`, but traps instead of returning `nil`.
    ///
    /// - Precondition: The key path consists of stored properties.
    func requireObservedPath<T: ObjectBase>(_ keyPath: PartialKeyPath<T>) -> PropertyPath {
        guard let path = observedPath(of: keyPath) else {
            fatalError(
                mistake(in: keyPath, throughCollections: true)
                    + "only changes to stored properties can be observed, including those of "
                    + "linked objects (\\.link?.property) and of objects in lists and inverses "
                    + "(\\.list[0].property).")
        }
        return path
    }

    /// Like `path(of:)`, but traps instead of returning `nil`.
    ///
    /// - Precondition: The key path consists of stored properties.
    func requirePath<T: ObjectBase>(_ keyPath: PartialKeyPath<T>) -> PropertyPath {
        guard let path = path(of: keyPath) else { trapNoProperty(keyPath) }
        return path
    }

    /// Returns the column that a key path of the class leads to, as a reference for queries.
    ///
    /// - Precondition: The key path consists of stored properties and ends in a scalar.
    func requireColumn<T: ObjectBase>(_ keyPath: PartialKeyPath<T>) -> ColumnReference {
        let path = requirePath(keyPath)
        var owner = self
        var hops: [Hop] = []
        for link in path.properties.dropLast() {
            hops += owner.hops(through: link)
            if let target = link.shape.objectType { owner = ClassSchema.of(target) }
        }
        guard let last = path.properties.last, case .scalar = last.shape else {
            fatalError(
                "\(keyPath.text) of \(name) is a link or a collection: sorting, distinct and "
                    + "aggregates need a property with a single value.")
        }
        var column = last.reference
        column.hops = hops
        return column
    }

    private func trapNoProperty<T: ObjectBase>(_ keyPath: PartialKeyPath<T>) -> Never {
        fatalError(
            mistake(in: keyPath, throughCollections: false)
                + "queries and sorts can only use stored properties, including those of "
                + "linked objects (\\.link?.property).")
    }

    /// Returns the start of the message for a key path that can't be resolved.
    private func mistake<T: ObjectBase>(
        in keyPath: PartialKeyPath<T>, throughCollections: Bool
    ) -> String {
        let tracer = ReadTracer(followsCollections: throughCollections)
        _ = tracer.recorder(self.type as? T.Type ?? T.self)[keyPath: keyPath]
        let mistake = "\(keyPath.text) is not a @Persisted property of \(name), "
        if !tracer.isTooLong { return "\(mistake)which has \(propertyNames): " }
        return
            "\(mistake)or follows more than \(Limits.maximumKeyPathLinkCount) links, the maximum: "
    }

    /// The names of the properties, for error messages.
    private var propertyNames: String { properties.map(\.name).joined(separator: ", ") }

    private func entry<T: ObjectBase>(
        _ keyPath: PartialKeyPath<T>, throughCollections: Bool = false
    ) -> KeyPathCache.Entry {
        let cache = throughCollections ? observedKeyPaths : keyPaths
        if let known = cache[keyPath] { return known }
        var entry = KeyPathCache.Entry.computed
        if let path = recordedPath(keyPath, throughCollections) {
            entry = path.properties.count == 1 ? .property(path.first) : .path(path)
        }
        cache.keep(entry, for: keyPath)
        return entry
    }

    /// Returns the chain of properties that the key path reads, if it reads nothing else,
    /// returns the value of the last one unchanged, and returns `nil` if a link is `nil`.
    /// Otherwise returns `nil`.
    ///
    /// The key path is evaluated on *recorders*: instances of models that have no row and record
    /// which properties are read. A computed property that reads a single stored property of its
    /// own type is distinguished from that property by its results for values at the edges of
    /// the type. A computed property that returns all of those unchanged is indistinguishable
    /// from the stored one.
    private func recordedPath<T: ObjectBase>(
        _ keyPath: PartialKeyPath<T>, _ throughCollections: Bool
    ) -> PropertyPath? {
        // the static type may be a superclass of the class
        let root = self.type as? T.Type ?? T.self
        let first = ReadTracer(followsCollections: throughCollections)
        let found: Any = first.recorder(root)[keyPath: keyPath]
        guard let path = first.path, let last = path.properties.last,
            let lastRead = first.reads.last
        else { return nil }
        let type = Swift.type(of: keyPath).valueType
        let wrapped = (type as? any AnyOptional.Type)?.wrappedType
        // Properties along the path that can be nil: all except lists and inverses.
        let links = path.properties.indices.dropLast().filter { path.properties[$0].isColumn }
        guard type == last.field.valueType || !links.isEmpty && wrapped == last.field.valueType
        else { return nil }
        // A key path that force-unwraps cannot be evaluated with a nil link.
        if !links.isEmpty, wrapped == nil { return nil }
        switch last.shape {
        case .scalar:
            for probe in last.probes {
                let tracer = ReadTracer(
                    probe: (lastRead, probe), followsCollections: throughCollections)
                let found: Any = tracer.recorder(root)[keyPath: keyPath]
                guard tracer.reads == first.reads, engineValue(found, type) == probe else {
                    return nil
                }
            }
        case .link where last.isProjected:
            // The projected value isn't a recorder, but is created from a sample object.
            for round in 0...1 {
                let tracer = ReadTracer(followsCollections: throughCollections, round: round)
                let found: Any = tracer.recorder(root)[keyPath: keyPath]
                guard tracer.reads == first.reads, isSample(found, round) else { return nil }
            }
        case .link:
            guard let object = found as? ObjectBase, object === first.newest else { return nil }
        case .list, .set, .map:
            guard first.isLastRead(unwrapped(found)) else { return nil }
        case .linkingObjects: break
        }
        for link in links {
            let tracer = ReadTracer(nilLink: link, followsCollections: throughCollections)
            let found: Any = tracer.recorder(root)[keyPath: keyPath]
            guard tracer.reads == Array(first.reads[...link]),
                (found as? any AnyOptional)?.isNil ?? false
            else { return nil }
        }
        return path
    }

    private func isSample(_ found: Any, _ round: Int) -> Bool {
        guard let found = unwrapped(found) as? any FailableCustomPersistable else { return false }
        return Swift.type(of: found).isSample(found, round)
    }

    private func engineValue(_ found: Any, _ type: Any.Type) -> Value? {
        func value<S: ScalarValue>(_ type: S.Type) -> Value? { (found as? S)?.engineValue }
        return (type as? any ScalarValue.Type).flatMap { value($0) }
    }
}

extension AnyKeyPath {
    /// The key path for error messages: the types that it goes through, as in
    /// `\Person.<Optional<Dog>>?.<Int>`. Swift doesn't keep property names, and its own description
    /// contains addresses and offsets.
    var text: String {
        "\(self)".replacing(#/<(?:computed 0x[0-9a-f]+|offset \d+) \((.*?)\)>/#) {
            "<\($0.output.1)>"
        }
    }
}

/// A type-erased optional.
private protocol AnyOptional {
    static var wrappedType: Any.Type { get }
    var isNil: Bool { get }
}

extension Optional: AnyOptional {
    fileprivate static var wrappedType: Any.Type { Wrapped.self }
    fileprivate var isNil: Bool { self == nil }
}

extension PropertySchema {
    /// Probe values: every computation other than the identity changes at least one of them.
    var probes: [Value] {
        (type.probes + field.examples + [defaultValue]).filter { field.canHold($0) }
    }
}

extension ValueType {
    /// Probe values: the edges of the type, and values that programs commonly treat specially.
    /// Every computation other than the identity is expected to change at least one of them.
    var probes: [Value] {
        switch self {
        case .bool: [.bool(true), .bool(false)]
        case .int:
            [0, 1, -1, 100, 1_000_003, -1_234_567, .max, .min].map { .int($0) }
        case .double:
            [0, -0.0, 1, -1, 0.1, 1e308, -1234.567, .leastNonzeroMagnitude, .infinity, -.infinity]
                .map { .double($0) }
        case .string:
            ["", " ", "a", "Z", "  aZ \u{C4}_9\u{301}\n", String(repeating: "Ab", count: 2_500)]
                .map { .string($0) }
        case .data:
            [.data([]), .data([0]), .data([1, 255, 0]), .data(Array(repeating: 7, count: 5_000))]
        case .date: [0, -1234.567, 64_092_211_200, -63_114_076_800].map { .date($0) }
        case .uuid:
            [
                .uuid(Identity128(high: 0, low: 0)), .uuid(Identity128(high: .max, low: .max)),
                .uuid(Identity128(high: 0x1234_5678, low: 9)),
            ]
        case .decimal:
            ["0", "-0", "1", "-1.50", "0.1", "1E+6144", "-1234.567", "1E-6176", "Infinity"]
                .compactMap { DecimalBits(text: $0) }.map { .decimal($0) }
        case .any:
            [
                .null, AnyContent.int(0).value, AnyContent.int(1).value,
                AnyContent.bool(true).value,
                AnyContent.string("").value, AnyContent.string("  aZ \u{C4}").value,
                AnyContent.double(-1.5).value, AnyContent.data([1, 255, 0]).value,
            ]
        case .objectId:
            [
                .objectId(ObjectIdBytes(high: 0, low: 0)),
                .objectId(ObjectIdBytes(high: .max, low: .max)),
                .objectId(ObjectIdBytes(high: 0x1234_5678, low: 9)),
            ]
        }
    }
}
