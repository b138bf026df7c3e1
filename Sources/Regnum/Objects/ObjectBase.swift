internal import RegnumEngine

/// The common base class of all models. Derive your models from ``Object``.
///
/// A newly created object is *unmanaged*: an ordinary object with ordinary values, which you can
/// use wherever Swift allows. `tx.add(object)` makes that same instance *managed*: it becomes an
/// accessor of its row, confined to the transaction body, and reads every value from storage.
/// When the body returns, its accessors become invalid: accessing one afterwards traps with a
/// message naming the class.
///
/// Keep strong references to accessors, and identify objects by their rows (``isSameObject(as:)``),
/// not by `ObjectIdentifier`: if nothing retains an accessor, loops and lookups may reuse it for
/// another row, and a `weak` or `unowned` reference to it then refers to that row.
open class ObjectBase {
    /// The class binding of the object's row, or `nil` for an unmanaged object.
    ///
    /// Exclusivity checking is off because the object is confined to one task (it is not
    /// `Sendable`), and every access is a plain load or store.
    @exclusivity(unchecked)
    @usableFromInline final var _binding: ClassBinding?
    /// The object key of the row in its table, while there is a binding.
    @exclusivity(unchecked)
    @usableFromInline final var _row: UInt64 = 0
    /// The cluster node of the row, for inlined reads. `nil` for an unmanaged object. Points to
    /// zeros if reads must go through the binding: while key paths are being resolved, for rows
    /// older than a property, and for deleted rows.
    ///
    /// Valid only while `_epoch` equals the value in `_epochCell`.
    @exclusivity(unchecked)
    @usableFromInline final var _cluster: UnsafeRawPointer?
    @exclusivity(unchecked)
    @usableFromInline final var _epoch: UInt64 = 0
    /// The transaction's edit count, in memory that lives as long as the binding.
    @exclusivity(unchecked)
    @usableFromInline final var _epochCell: UnsafePointer<UInt64>?

    /// Creates an unmanaged object whose properties have their defaults.
    ///
    /// The library calls this initializer to create accessors, so it must have no side effects.
    public required init() {}

    /// Returns the stored names of properties, keyed by their Swift names. Properties that aren't
    /// listed are stored under their Swift names.
    ///
    ///     override class func propertiesMapping() -> [String: String] {
    ///         ["firstName": "first_name"]
    ///     }
    ///
    /// Key paths, `object["name"]`, values and errors use the Swift names. The following mistakes
    /// are reported when a realm is opened with the class, or when the class is first used: an
    /// unknown property, an inverse, two properties with the same stored name, and a stored name
    /// that is empty, contains a dot or a control character, is longer than 63 bytes of UTF-8 (61
    /// for an `AnyRealmValue`), ends in `[]` for a collection, or is that of an `AnyRealmValue`
    /// followed by `[]`. Changing a stored name later makes it a different property in the file.
    open class func propertiesMapping() -> [String: String] { [:] }

    /// A description listing the properties with their values, one per line.
    /// Linked objects are nested.
    ///
    ///     Dog {
    ///         name = Rex
    ///         owner = Person {
    ///             name = Ann
    ///         }
    ///     }
    ///
    /// Shows at most 5 levels of objects, 5 levels of nested `AnyRealmValue` collections, 100
    /// elements per list, 1,000 objects and 10,000 elements. An object nested in itself is shown by
    /// its class name only. Inverses are omitted.
    ///
    /// Models can override this property; frozen objects then use the override too. The override
    /// isn't used when the object is nested in the description of another object.
    open var description: String { printedDescription }

    /// The object that stores the properties: for a projection the projected
    /// object, otherwise `self`.
    var _storedObject: ObjectBase { self }

    /// The model class whose rows are shown by objects of this class: for a projection the class of
    /// the projected objects, otherwise this class.
    class var _storedType: ObjectBase.Type { self }
}

@available(*, unavailable, message: "objects are confined to a transaction: send a Frozen value")
extension ObjectBase: Sendable {}

extension ObjectBase {
    /// Looks up the row's cluster, initially or after an edit.
    ///
    /// The `releasenone` effect is accurate: nothing that the caller holds is released here. It
    /// lets loops of reads avoid reference counting.
    @usableFromInline @inline(never) @_effects(releasenone)
    final func _refresh() {
        guard let binding = _binding, let cell = _epochCell else { return }
        _cluster = binding.clusterAddress(row: _row)
        _epoch = cell.pointee
    }

    /// Whether the object was deleted or its transaction has ended.
    ///
    /// Unlike the stored properties, this one can be read in either case. Always `false` for an
    /// unmanaged object.
    public final var isInvalidated: Bool {
        guard let binding = _binding else {
            let object = _storedObject
            return object !== self && object.isInvalidated
        }
        return !binding.isRecorder && !binding.isReadable(row: _row)
    }

    /// Whether the object belongs to a transaction.
    public final var isManaged: Bool { _storedObject._binding != nil }

    /// Returns whether both objects are the same row of the same realm, or the same unmanaged
    /// instance. Projections are compared by the objects that they project.
    public final func isSameObject(as other: ObjectBase?) -> Bool {
        guard let other = other?._storedObject else { return false }
        let object = _storedObject
        if object === other { return true }
        guard let mine = object._binding, let theirs = other._binding else { return false }
        return equalUTF8(mine.tableName, theirs.tableName) && object._row == other._row
            && mine.isSameRealm(as: theirs)
    }
}

extension ObjectBase: Hashable {
    /// Returns whether two objects are equal. Managed objects with a primary key are equal if they
    /// are the same row; all other objects are equal only if they are the same instance. Two
    /// projections of the same class are equal if they project the same object. Use
    /// ``isSameObject(as:)`` to compare rows in all cases.
    public static func == (left: ObjectBase, right: ObjectBase) -> Bool {
        if left === right { return true }
        if left._storedObject !== left || right._storedObject !== right {
            return type(of: left) == type(of: right) && left.isSameObject(as: right)
        }
        guard let binding = left._binding, binding.schema.primaryKey != nil else { return false }
        return left.isSameObject(as: right)
    }

    public func hash(into hasher: inout Hasher) {
        let object = _storedObject
        if let binding = object._binding, object !== self || binding.schema.primaryKey != nil {
            hasher.combine(object._row)
        } else {
            hasher.combine(ObjectIdentifier(object))
        }
    }
}

/// The base class of models that are stored as top-level objects.
///
///     final class Message: Object {
///         @Persisted(primaryKey: true) var id: ObjectId
///         @Persisted(indexed: true)    var room: String
///         @Persisted var text: String
///         @Persisted var sentAt: Date
///     }
///
/// Stored properties without `@Persisted` are ignored; each accessor has its own values for them. A
/// subclass of a model inherits the properties of its superclass, but is a separate class: queries
/// and streams of one don't include objects of the other. The name of a class can have at most 57
/// bytes of UTF-8.
open class Object: ObjectBase {}
