/// Makes a model identifiable by its row, where it has no `id` of its own.
///
///     final class Dog: Object, ObjectKeyIdentifiable { @Persisted var name: String }
///
/// The `id` is equal for all accessors and frozen values of the same row, in every version, and is
/// not used again when the row is deleted. An unmanaged object is identified by its instance.
public protocol ObjectKeyIdentifiable: ObjectBase, Identifiable where ID == UInt64 {}

extension ObjectKeyIdentifiable {
    public var id: UInt64 {
        isManaged ? _row : UInt64(UInt(bitPattern: ObjectIdentifier(self)))
    }
}
