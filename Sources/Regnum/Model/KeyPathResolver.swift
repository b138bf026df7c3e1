internal import RegnumEngine
internal import RegnumStore

extension ClassSchema {
    /// The stored property that a key path of the class names.
    ///
    /// Found at the first use of a key path by reading it from a *recorder*: an instance of the
    /// model without a row that notes what is read.
    ///
    /// - Precondition: the key path names a stored property of the class.
    func requireProperty<T: ObjectBase, V>(_ keyPath: KeyPath<T, V>) -> PropertySchema {
        if case .property(let index) = keyPaths[keyPath] { return properties[index] }
        guard let index = recordedProperty(keyPath) else {
            fatalError(
                "\(keyPath) is no @Persisted property of \(name): only stored properties can be "
                    + "queried and sorted by.")
        }
        keyPaths.keep(.property(index), for: keyPath)
        return properties[index]
    }

    /// The property that the key path reads from a recorder, nil if it is not just one.
    private func recordedProperty<T: ObjectBase, V>(_ keyPath: KeyPath<T, V>) -> Int? {
        let defaults = properties.map(\.defaultValue)
        let tracer = ReadTracer(values: defaults)
        let found: V = recorder(T.self, tracer)[keyPath: keyPath]
        guard tracer.reads.count == 1, let read = tracer.reads.first else { return nil }
        if read.keyPath == keyPath { return read.property }
        // The property of a superclass: the two key paths differ in their root. A computed
        // property that returns what it read unchanged names the same values; one that does not is
        // told apart by giving it something to change.
        guard let value = found as? any Persistable,
            value.engineValue == defaults[read.property]
        else { return nil }
        var probes = defaults
        probes[read.property] = properties[read.property].type.probe
        let second = ReadTracer(values: probes)
        let changed: V = recorder(T.self, second)[keyPath: keyPath]
        guard second.reads.count == 1, let value = changed as? any Persistable,
            value.engineValue == probes[read.property]
        else { return nil }
        return read.property
    }

    private func recorder<T: ObjectBase>(_ type: T.Type, _ tracer: ReadTracer) -> T {
        let object = type.init()
        let binding = ClassBinding(recording: self, tracer)
        object._binding = binding
        for (index, property) in properties.enumerated() {
            object.bindField(at: property.offset, to: Int32(index))
        }
        return object
    }
}

extension ValueType {
    /// A value that most computations change: used to tell a property from what is computed of it.
    fileprivate var probe: Value {
        switch self {
        case .bool: .bool(true)
        case .int: .int(-1_234_567)
        case .double: .double(-1234.567)
        case .string: .string("  aZ Ä_9\u{301} ")
        case .data: .data([1, 255, 0])
        case .date: .date(-1234.567)
        case .uuid: .uuid(Identity128(high: 0x1234_5678, low: 9))
        case .objectId: .objectId(ObjectIdBytes(high: 0x1234_5678, low: 9))
        }
    }
}
