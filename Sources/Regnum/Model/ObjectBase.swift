/// What all model classes have in common. Derive your models from ``Object``.
///
/// An object that you make is *unmanaged*: a plain object with plain values, which you may use
/// wherever Swift lets you. `tx.add(object)` makes that very instance *managed*: an accessor of
/// its row, confined to the transaction body, every read going to storage. When the body returns,
/// its accessors die: touching one then ends the process with a sentence that names the class.
open class ObjectBase {
    /// The row's home, nil for an unmanaged object.
    ///
    /// Unchecked exclusivity: the object is confined to one task (it is not `Sendable`), and
    /// every access is a plain load or store.
    @exclusivity(unchecked)
    @usableFromInline final var _binding: ClassBinding?
    /// The object key of the row in its table, while there is a binding.
    @exclusivity(unchecked)
    @usableFromInline final var _row: UInt64 = 0
    /// The cluster node of the row, for reads that inline; nil for an unmanaged object. Zeros where
    /// reads go through the binding: while key paths are being resolved, for rows that are older
    /// than a property, for rows that are gone.
    ///
    /// Valid while `_epoch` is what `_epochCell` holds, and only until then.
    @exclusivity(unchecked)
    @usableFromInline final var _cluster: UnsafeRawPointer?
    @exclusivity(unchecked)
    @usableFromInline final var _epoch: UInt64 = 0
    /// The transaction's count of edits, in memory that lives as long as the binding.
    @exclusivity(unchecked)
    @usableFromInline final var _epochCell: UnsafePointer<UInt64>?

    /// An unmanaged object whose properties have their defaults.
    ///
    /// The library makes accessors with this initialiser: it must have no side effects.
    public required init() {}

    /// The names under which properties are stored, by their names in Swift. Those that are not named here
    /// are stored under their own.
    ///
    ///     override class func propertiesMapping() -> [String: String] {
    ///         ["firstName": "first_name"]
    ///     }
    ///
    /// Key paths, `object["name"]`, values and errors go by the names in Swift. What is wrong is told when
    /// a realm is opened with the class, or at its first use: a property that the class does not have,
    /// an inverse, two properties of one stored name, an empty name, one with a dot, one above 63 bytes.
    /// A name that changes later is another property to the file.
    open class func propertiesMapping() -> [String: String] { [:] }

    /// The properties with their values, line by line; those of linked objects within.
    ///
    ///     Dog {
    ///         name = Rex
    ///         owner = Person {
    ///             name = Ann
    ///         }
    ///     }
    ///
    /// At most 5 levels of objects, 5 of lists and dictionaries of any type, 100 elements of a
    /// list, 1,000 objects and 10,000 elements are shown; an object within itself by its class
    /// alone. Inverses are left out.
    ///
    /// A model can have a description of its own; frozen objects have it too. Where the object is
    /// shown within another one, its properties are.
    open var description: String { printedDescription }

    /// The object that has the properties: this one; of a projection the object that it projects.
    var _storedObject: ObjectBase { self }

    /// The model class whose rows objects of this class show: this one; of a projection that of the
    /// objects that it projects.
    class var _storedType: ObjectBase.Type { self }
}

@available(*, unavailable, message: "objects stay where they were read: send a Frozen value")
extension ObjectBase: Sendable {}

extension ObjectBase {
    /// Finds the row's cluster, for the first time or again after an edit.
    ///
    /// The effect is true, and what lets a loop of reads keep no reference counts: nothing that the
    /// caller holds is released here.
    @usableFromInline @inline(never) @_effects(releasenone)
    final func _refresh() {
        guard let binding = _binding, let cell = _epochCell else { return }
        _cluster = binding.clusterAddress(row: _row)
        _epoch = cell.pointee
    }

    /// Whether the row of this object was deleted, or the transaction that it belongs to is over.
    ///
    /// The one property of a model that can be read in either case; false for an unmanaged object.
    public final var isInvalidated: Bool {
        guard let binding = _binding else {
            let object = _storedObject
            return object !== self && object.isInvalidated
        }
        return !binding.isReadable(row: _row)
    }

    /// Whether the object belongs to a transaction.
    public final var isManaged: Bool { _storedObject._binding != nil }

    /// Whether both are the same row of the same realm, or the same unmanaged instance. A projection
    /// is the same as the object that it projects.
    public final func isSameObject(as other: ObjectBase?) -> Bool {
        guard let other = other?._storedObject else { return false }
        let object = _storedObject
        if object === other { return true }
        guard let mine = object._binding, let theirs = other._binding else { return false }
        return mine.tableName == theirs.tableName && object._row == other._row
            && mine.isSameRealm(as: theirs)
    }
}

extension ObjectBase: Hashable {
    /// Objects with a primary key are equal if they are the same row; others, and unmanaged ones, if
    /// they are the same instance. Projections of one class are equal if they project the same
    /// object. ``isSameObject(as:)`` compares rows for all.
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

/// The base class of models that are stored on their own.
///
///     final class Message: Object {
///         @Persisted(primaryKey: true) var id: ObjectId
///         @Persisted(indexed: true)    var room: String
///         @Persisted var text: String
///         @Persisted var sentAt: Date
///     }
///
/// Stored properties without `@Persisted` are ignored: each accessor has its own. A subclass of a
/// model has its superclass's properties and is a class of its own: neither queries nor streams of
/// the one see objects of the other.
open class Object: ObjectBase {}
