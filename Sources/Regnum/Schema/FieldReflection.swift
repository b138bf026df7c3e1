@_spi(Reflection) internal import Swift

// All access to the memory of model objects by field offset is in this file: finding the offsets of
// their stored properties, and reading and writing at those offsets. It relies on the runtime's
// field reflection, which is not a stable interface; `FieldReflectionTests` fails if it changes.

/// A stored property of a class as described by the runtime.
struct StoredField {
    /// The name of the backing storage: `_text` for a wrapped property `text`.
    let name: String
    /// The byte offset from the start of an instance.
    let offset: Int
    let type: any Any.Type
}

/// Returns the stored properties of a class in declaration order, inherited ones first.
func storedFields(of type: ObjectBase.Type) -> [StoredField] {
    var fields: [StoredField] = []
    // Raw value 1 is the option for classes. The static member isn't concurrency-safe in Swift 6.
    _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) {
        name, offset, fieldType, _ in
        fields.append(
            StoredField(name: String(cString: name), offset: offset, type: fieldType))
        return true
    }
    return fields
}

extension ObjectBase {
    /// Returns the address of the field at `offset`. Valid while the caller holds the object. The
    /// offset must come from `storedFields(of:)` for the object's dynamic type.
    private final func fieldAddress(_ offset: Int) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque() + offset
    }

    /// Writes the column number into the property wrapper at `offset`, whose first field it is.
    ///
    /// The object is confined to the caller's task, so nothing else accesses
    /// the field concurrently.
    @inline(__always)
    final func bindField(at offset: Int, to column: Int32) {
        fieldAddress(offset).storeBytes(of: column, as: Int32.self)
    }

    /// Returns the property wrapper at `offset` of a projection.
    ///
    /// - Parameter wrapper: The type of the field.
    final func projectedField<Wrapper: ProjectedField>(at offset: Int, as wrapper: Wrapper.Type)
        -> Wrapper
    {
        withExtendedLifetime(self) {
            fieldAddress(offset).assumingMemoryBound(to: Wrapper.self).pointee
        }
    }

    /// Calls `body` with the property wrapper at `offset`.
    ///
    /// - Parameter wrapper: The type of the field.
    @inline(__always)
    final func withField<Wrapper: PersistedField, Result>(
        at offset: Int, as wrapper: Wrapper.Type, _ body: (inout Wrapper) -> Result
    ) -> Result {
        withExtendedLifetime(self) {
            body(&fieldAddress(offset).assumingMemoryBound(to: Wrapper.self).pointee)
        }
    }
    /// Returns the list, set or map in the property wrapper at `offset`, or `nil` if it was never
    /// accessed. All of these are classes, so the offset of the reference doesn't depend on the
    /// type of the wrapper.
    final func fieldCollection(at offset: Int) -> AnyObject? {
        withExtendedLifetime(self) {
            (fieldAddress(offset) + fieldReferenceOffset).load(as: AnyObject?.self)
        }
    }

    /// Returns the object in the property wrapper of a link at `offset`; the outer optional is
    /// `nil` if the link was never accessed.
    final func fieldLink(at offset: Int) -> ObjectBase?? {
        withExtendedLifetime(self) {
            (fieldAddress(offset) + fieldReferenceOffset).load(as: ObjectBase??.self)
        }
    }
}

/// The byte offset of the reference in a property wrapper.
private let fieldReferenceOffset = MemoryLayout<Persisted<ObjectBase?>>.offset(of: \._value) ?? 8
