extension Realm {
    /// What a deletion means for a link: `@Persisted(onDelete: .deny) var customer: Customer?`.
    ///
    /// Rules are part of the declaration and not of the stored schema: they hold for what
    /// `tx.delete` deletes in programs that declare them, and can be changed without a migration.
    public enum DeleteRule: Sendable, Hashable {
        /// The link becomes nil, the list, set or map loses the object, when the object is deleted:
        /// what holds without a rule.
        case nullify
        /// As long as the link leads to an object, that object is not deleted. A deletion that tries
        /// deletes nothing and fails the transaction, or the savepoint, with `.deletionDenied`.
        /// What is deleted together with the object that links to it is no obstacle.
        case deny
        /// When the object that has the link is deleted, so is what it links to, and so on, also in
        /// cycles. Other links to what goes so become nil, or deny the whole deletion if they say
        /// so.
        case cascade

        /// The rule among `Persisted._flags`.
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

/// A type of properties that lead to objects of their own: what delete rules are for.
public protocol LinkProperty {}

extension Optional: LinkProperty where Wrapped: Object {}
extension List: LinkProperty where Element: Object {}
extension MutableSet: LinkProperty where Element: Object {}
extension Map: LinkProperty where Value: LinkProperty {}

extension Persisted where Value: LinkProperty {
    /// A link, list, set or map of objects with a rule for deletions.
    ///
    ///     @Persisted(onDelete: .deny) var customer: Customer?
    ///     @Persisted(onDelete: .cascade) var lines: List<Line>
    ///
    /// Embedded objects always go with their owner, so they take no rule; and an embedded object has
    /// no links that cascade.
    @inlinable @inline(__always)
    public init(onDelete rule: Realm.DeleteRule) {
        self.init(_flags: rule._flags, _value: nil)
    }
}
