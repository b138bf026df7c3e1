/// A model that is identified by its row, for classes without an `id` property.
///
///     final class Dog: Object, ObjectKeyIdentifiable { @Persisted var name: String }
///
/// The `id` is the same for all accessors and frozen values of a row, in every version, and is not
/// reused after the row is deleted. An unmanaged object is identified by its instance.
public protocol ObjectKeyIdentifiable: ObjectBase, Identifiable where ID == UInt64 {}

extension ObjectKeyIdentifiable {
    public var id: UInt64 {
        isManaged ? _row : UInt64(UInt(bitPattern: ObjectIdentifier(self)))
    }
}
