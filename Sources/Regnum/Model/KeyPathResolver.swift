internal import RegnumEngine
internal import RegnumStore

extension ClassSchema {
    /// The stored property that a key path of the class names.
    ///
    /// - Precondition: the key path names a stored property of the class.
    func requireProperty<T: ObjectBase, V>(_ keyPath: KeyPath<T, V>) -> PropertySchema {
        guard case .property(let index) = meaning(of: keyPath) else {
            fatalError(
                "\(keyPath) is no @Persisted property of \(name): only stored properties can be "
                    + "queried and sorted by.")
        }
        return properties[index]
    }

    /// What a key path of the class means, found at its first use (Docs/Decisions/011-key-paths.md).
    func meaning<T: ObjectBase, V>(of keyPath: KeyPath<T, V>) -> KeyPathMeaning {
        if let known = keyPaths[keyPath] { return known }
        let meaning: KeyPathMeaning =
            recordedProperty(keyPath).map { .property($0) } ?? .computed
        keyPaths.keep(meaning, for: keyPath)
        return meaning
    }

    /// The property whose value the key path reads from a recorder, and nothing else, and gives
    /// unchanged; nil otherwise.
    ///
    /// A *recorder* is an instance of the model without a row that notes what is read. A computed
    /// property that reads one stored property of its own type is told from that by what it makes
    /// of values at the edges of the type. One that returns all of those unchanged names the same
    /// values as far as anybody can see.
    private func recordedProperty<T: ObjectBase, V>(_ keyPath: KeyPath<T, V>) -> Int? {
        var values = properties.map(\.defaultValue)
        let first = ReadTracer(values: values)
        _ = recorder(T.self, first)[keyPath: keyPath]
        guard first.reads.count == 1, let property = first.reads.first else { return nil }
        guard case .scalar = properties[property].shape else {
            return V.self == properties[property].field.valueType ? property : nil
        }
        for probe in properties[property].probes {
            values[property] = probe
            let tracer = ReadTracer(values: values)
            let found: V = recorder(T.self, tracer)[keyPath: keyPath]
            guard tracer.reads == [property], let value = found as? any ScalarValue,
                value.engineValue == probe
            else { return nil }
        }
        return property
    }

    private func recorder<T: ObjectBase>(_ type: T.Type, _ tracer: ReadTracer) -> T {
        let object = type.init()
        for (index, property) in properties.enumerated() {
            object.bindField(at: property.offset, to: Int32(index))
        }
        ClassBinding(recording: self, tracer).attach(object, row: 0)
        return object
    }
}

extension PropertySchema {
    /// Values of the property that every computation but the identity changes one of.
    fileprivate var probes: [Value] {
        (type.probes + field.examples + [defaultValue]).filter { field.canHold($0) }
    }
}

extension ValueType {
    /// Values that every computation but the identity changes one of: the edges of the type, and
    /// what programs treat apart.
    fileprivate var probes: [Value] {
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
        case .objectId:
            [
                .objectId(ObjectIdBytes(high: 0, low: 0)),
                .objectId(ObjectIdBytes(high: .max, low: .max)),
                .objectId(ObjectIdBytes(high: 0x1234_5678, low: 9)),
            ]
        }
    }
}
