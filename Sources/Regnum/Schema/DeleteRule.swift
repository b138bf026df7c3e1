extension Realm {
    /// The effect that deleting objects has on a link: `@Persisted(onDelete: .deny) var
    /// customer: Customer?`.
    ///
    /// Delete rules are part of the declaration, not of the stored schema: they apply to
    /// `tx.delete` in programs that declare them, and can be changed without a migration. If a rule
    /// of a class that doesn't match the stored schema would apply to a deletion, nothing is
    /// deleted, and the transaction or savepoint fails with `.schemaMismatch`.
    public enum DeleteRule: Sendable, Hashable {
        /// When the target is deleted, sets the link or the map's value to `nil`, or removes the
        /// target from the list or set. This is the default.
        case nullify
        /// Prevents the deletion of the target while the link exists. An attempt to delete it
        /// deletes nothing and fails the transaction or savepoint with `.deletionDenied`. Deleting
        /// the object together with the object that links to it is allowed.
        case deny
        /// Deletes the targets together with the object that has the link, recursively, even in
        /// cycles. Other links to the deleted objects are handled according to their own rules:
        /// they become `nil`, or prevent the whole deletion.
        case cascade

        /// The bits of the rule in `Persisted._flags`.
        @usableFromInline var _flags: UInt8 {
            switch self {
            case .nullify: 0
            case .deny: 4
            case .cascade: 8
            }
        }

        init(flags: UInt8) {
            self = flags & 4 != 0 ? .deny : flags & 8 != 0 ? .cascade : .nullify
        }
    }
}

/// A type of property that links to top-level objects and can have a delete rule.
public protocol LinkProperty {}

extension Optional: LinkProperty where Wrapped: Object {}
extension List: LinkProperty where Element: Object {}
extension MutableSet: LinkProperty where Element: Object {}
extension Map: LinkProperty where Value: LinkProperty {}

extension Persisted where Value: LinkProperty {
    /// Declares a link, or a list, set or map of objects, with a delete rule.
    ///
    ///     @Persisted(onDelete: .deny) var customer: Customer?
    ///     @Persisted(onDelete: .cascade) var lines: List<Line>
    ///
    /// Properties that hold embedded objects can't have a rule, because embedded objects are always
    /// deleted with their owner. Links declared in an embedded object cannot cascade.
    @inlinable @inline(__always)
    public init(onDelete rule: Realm.DeleteRule) {
        self.init(_flags: rule._flags, _value: nil)
    }
}
