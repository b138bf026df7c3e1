internal import RegnumEngine

// Values that recorders return for properties of projected types, and elements of their collections
// of values (see `ReadTracer`).

extension UnmanagedCollection {
    /// Returns the collection after recording that the read of a recorder's property returns it.
    func recorded(by object: ObjectBase) -> Self {
        object._binding?.tracer?.note(values: self)
        return self
    }
}

/// Returns the elements of a recorder's list or set of values.
func recordedElements<Element>(_ type: Element.Type, of object: ObjectBase) -> [Element] {
    recordedSample(type, of: object)
        .map { Array(repeating: $0, count: ReadTracer.valueCount) } ?? []
}

/// Returns the value in a recorder's collection of values; `nil` if it is empty.
func recordedSample<Element>(_ type: Element.Type, of object: ObjectBase) -> Element? {
    guard object._binding?.tracer?.followsCollections == true,
        let sample = (type as? any ScalarValue.Type)?.sampleElement
    else { return nil }
    return sample as? Element
}

extension ScalarValue {
    /// A value other than `nil`; `nil` for a projected type, whose conversion may not accept it.
    static var sampleElement: Self? {
        if _isProjected { return nil }
        if let type = Self.self as? any SampledOptional.Type { return type.wrappedSample as? Self }
        return _decode(_StoredValue(_storage.zero))
            ?? _examples.lazy.compactMap { _decode($0) }.first
    }
}

/// A type-erased optional value.
private protocol SampledOptional {
    static var wrappedSample: Any? { get }
}

extension Optional: SampledOptional where Wrapped: RequiredValue {
    fileprivate static var wrappedSample: Any? { Wrapped.sampleElement }
}

extension FailableCustomPersistable {
    /// Returns the value that a recorder's property reads as; `nil` for objects
    /// that aren't recorders.
    static func recorded(_ binding: ClassBinding, _ column: Int32) -> Self? {
        guard binding.isRecorder, let tracer = binding.tracer else { return nil }
        if PersistedType._basisClass != nil {
            binding.noteRead(binding.propertyIndex(of: column))
            return sample(tracer.round)
        }
        let value = binding.tracedValue(row: 0, column: column)
        if let decoded = _decode(_StoredValue(value)) { return decoded }
        for value in _storage.valueType.probes {
            if let decoded = _decode(_StoredValue(value)) { return decoded }
        }
        fatalError(
            "\(binding.propertyName(ofColumn: column)) cannot be used in a key path: no "
                + "\(Self.self) could be created to identify it. Declare it as optional.")
    }

    /// Returns a sample value: converted from an object with defaults in round 0, and from an
    /// object with other values in later rounds.
    static func sample(_ round: Int) -> Self {
        guard round > 0, let type = PersistedType._basisClass else { return _makeDefault() }
        let object = type.init()
        for property in ClassSchema.of(type).properties where property.shape.isScalar {
            let probes = property.probes
            guard let probe = probes.isEmpty ? nil : probes[(round + 2) % probes.count] else {
                continue
            }
            _ = property.field.set(.value(probe), in: object, at: property.offset)
        }
        return (object as? PersistedType).flatMap { Self(persistedValue: $0) } ?? _makeDefault()
    }

    /// Returns whether a key path returned the sample.
    static func isSample(_ found: Any, _ round: Int) -> Bool {
        (found as? Self).map { _areSame($0, sample(round)) } ?? false
    }
}

extension ObjectBase {
    /// Returns whether two objects, which may be unmanaged, have equal content: values are
    /// compared by their stored bits, embedded objects and collections by their content, other
    /// objects by their rows.
    final func hasSameMembers(as other: ObjectBase) -> Bool {
        guard type(of: self) == type(of: other) else { return false }
        return ClassSchema.of(type(of: self)).properties.allSatisfy { property in
            guard property.isStored else { return true }
            let a = property.field.dynamicValue(in: self, at: property.offset)
            let b = property.field.dynamicValue(in: other, at: property.offset)
            if case .set = property.shape { return ObjectBase.areSameSets(a, b) }
            return ObjectBase.areSame(a, b)
        }
    }

    private static func areSame(_ a: Any?, _ b: Any?) -> Bool {
        switch (a, b) {
        case (nil, nil): true
        case (let a as EmbeddedObject, let b as EmbeddedObject): a.hasSameMembers(as: b)
        case (let a as ObjectBase, let b as ObjectBase): a.isSameObject(as: b)
        case (let a as AnyRealmValue, let b as AnyRealmValue):
            AnyCollectionComparison.areEqual(a, b, comparesContent: true)
        case (let a as any ScalarValue, let b as any ScalarValue):
            a.engineValue == b.engineValue
        case (let a as any UnmanagedList, let b as any UnmanagedList):
            a.anyElements.count == b.anyElements.count
                && zip(a.anyElements, b.anyElements).allSatisfy { areSame($0, $1) }
        case (let a as any UnmanagedMap, let b as any UnmanagedMap):
            areSameEntries(a.anyEntries, b.anyEntries)
        default: false
        }
    }

    /// - Precondition: The entries of both maps are in the order of their keys.
    private static func areSameEntries(
        _ a: [(key: String, value: Any?)], _ b: [(key: String, value: Any?)]
    ) -> Bool {
        a.count == b.count
            && zip(a, b).allSatisfy { one, other in
                StoredText(one.key) == StoredText(other.key) && areSame(one.value, other.value)
            }
    }

    /// Compares sets regardless of order, because unmanaged ones are in insertion order.
    private static func areSameSets(_ a: Any?, _ b: Any?) -> Bool {
        guard let a = (a as? any UnmanagedList)?.anyElements,
            var rest = (b as? any UnmanagedList)?.anyElements, a.count == rest.count
        else { return false }
        for element in a {
            guard let match = rest.firstIndex(where: { areSame(element, $0) }) else { return false }
            rest.swapAt(match, rest.count - 1)
            rest.removeLast()
        }
        return true
    }
}

extension PropertyShape {
    /// Whether the property is a value in a column.
    var isScalar: Bool {
        if case .scalar = self { true } else { false }
    }
}
