@_spi(Reflection) internal import Swift

// The one file that looks into the memory of model objects: where their stored properties lie, and
// the reads and writes at those places. It relies on the runtime's field reflection, which is no
// stable interface; `FieldReflectionTests` fails loudly should it change.

/// A stored property of a class, as the runtime describes it.
struct StoredField {
    /// The name of the storage: `_text` for a wrapped property `text`.
    let name: String
    /// Bytes from the start of an instance.
    let offset: Int
    let type: any Any.Type
}

/// The stored properties of a class, those of its superclasses first, in order of declaration.
func storedFields(of type: ObjectBase.Type) -> [StoredField] {
    var fields: [StoredField] = []
    // Raw value 1 is the option for classes; the static member is not safe to use in Swift 6.
    _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) {
        name, offset, fieldType, _ in
        fields.append(
            StoredField(name: String(cString: name), offset: offset, type: fieldType))
        return true
    }
    return fields
}

extension ObjectBase {
    /// The address of the field at `offset`. Valid while the object is held by the caller; the
    /// offset must come from `storedFields(of:)` for the object's dynamic type.
    private final func fieldAddress(_ offset: Int) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque() + offset
    }

    /// Writes the column number into the wrapper at `offset`: it is the wrapper's first field.
    ///
    /// The object is confined to the caller's task, so nobody else touches the field meanwhile.
    @inline(__always)
    final func bindField(at offset: Int, to column: Int32) {
        fieldAddress(offset).storeBytes(of: column, as: Int32.self)
    }

    /// The wrapper at `offset` of a projection.
    ///
    /// - Parameter wrapper: the type of the field.
    final func projectedField<Wrapper: ProjectedField>(at offset: Int, as wrapper: Wrapper.Type)
        -> Wrapper
    {
        withExtendedLifetime(self) {
            fieldAddress(offset).assumingMemoryBound(to: Wrapper.self).pointee
        }
    }

    /// What the wrapper at `offset` holds and says about its property.
    ///
    /// - Parameter wrapper: the type of the field.
    @inline(__always)
    final func withField<Wrapper: PersistedField, Result>(
        at offset: Int, as wrapper: Wrapper.Type, _ body: (inout Wrapper) -> Result
    ) -> Result {
        withExtendedLifetime(self) {
            body(&fieldAddress(offset).assumingMemoryBound(to: Wrapper.self).pointee)
        }
    }
    /// The list, set or map in the wrapper at `offset`, nil if it was never touched. All those are
    /// classes, whose references lie at one place whatever the type of the wrapper.
    final func fieldCollection(at offset: Int) -> AnyObject? {
        withExtendedLifetime(self) {
            (fieldAddress(offset) + fieldReferenceOffset).load(as: AnyObject?.self)
        }
    }

    /// The object in the wrapper of a link at `offset`; none where the link was never touched.
    final func fieldLink(at offset: Int) -> ObjectBase?? {
        withExtendedLifetime(self) {
            (fieldAddress(offset) + fieldReferenceOffset).load(as: ObjectBase??.self)
        }
    }
}

/// Bytes from the start of a wrapper to the reference in it.
private let fieldReferenceOffset = MemoryLayout<Persisted<ObjectBase?>>.offset(of: \._value) ?? 8
