internal import RegnumEngine

/// The objects with one key in a transaction, in the order of the results.
///
/// A section is identified by its key, not by its position: it shows the objects that currently
/// have the key. Using it while no object has the key fails the transaction with `.invalidInput`;
/// check ``isInvalidated`` after changes that might remove the last one. Confined to the body.
public struct ResultsSection<Key: SectionKey, Model: ObjectBase> {
    private let sections: SectionedResults<Key, Model>
    /// The key of the objects.
    public let key: Key

    init(_ sections: SectionedResults<Key, Model>, _ key: Key) {
        self.sections = sections
        self.key = key
    }

    /// Whether no object currently has the key, or the transaction has ended.
    public var isInvalidated: Bool {
        sections.isInvalidated || sections.current.sectioning.number(of: key) == nil
    }

    /// The realm of the results, or `nil` if it has been released.
    public var realm: Realm? { sections.realm }

    /// The current number of objects, at least 1.
    public var count: Int { positions.count }

    /// The first object.
    public var first: Model? { positions.first.map { sections.object(sections.current.keys[$0]) } }

    /// The last object.
    public var last: Model? { positions.last.map { sections.object(sections.current.keys[$0]) } }

    /// The object that is currently at a position in the section.
    ///
    /// - Precondition: `0 <= position < count`.
    public subscript(position: Int) -> Model {
        let positions = positions
        guard position >= 0, position < positions.count else {
            if sections.results._hasFailed { return sections.object(.nowhere) }
            fatalError(
                "Index \(position) of a section of \(sections.name) is out of range: the count is "
                    + "\(positions.count)." + ReadScope.callSiteMessage)
        }
        return sections.object(sections.current.keys[positions[positions.startIndex + position]])
    }

    /// Returns the objects as they were at the start of the transaction, or `nil` if none had the
    /// key then.
    ///
    /// - Precondition: The body is running.
    public func freeze() -> FrozenSection<Key, Model>? {
        sections.freeze().section(forKey: key)
    }

    /// The positions of the objects in the results. Fails the transaction if there are none.
    private var positions: ArraySlice<Int> {
        let sectioning = sections.current.sectioning
        if let number = sectioning.number(of: key) {
            return sectioning.layout.positions(in: number)
        }
        let className = sections.results.binding.tableName
        sections.results.binding.core?.fail(
            Realm.Error(
                .invalidInput,
                "A section of \(sections.name) was used while no object had its key: check "
                    + "isInvalidated after changes to the objects.", className: className))
        return []
    }
}

@available(*, unavailable, message: "results are confined to their transaction: use a snapshot")
extension ResultsSection: Sendable {}

extension ResultsSection: Identifiable {
    /// The key.
    public var id: Key { key }
}

extension ResultsSection: Sequence {
    /// Returns an iterator over the objects that the section has when the loop starts. Objects that
    /// the loop deletes are skipped.
    public func makeIterator() -> ConfinedIterator<Model> {
        let keys = sections.current.keys
        let rows = positions.map { keys[$0] }
        return ConfinedIterator(
            sections.results.binding.loopElements(Model.self, rows.indices) { rows[$0] })
    }
}

extension ResultsSection: Equatable {
    /// Returns whether both have the same key in equal sectioned results.
    public static func == (left: ResultsSection, right: ResultsSection) -> Bool {
        left.sections == right.sections && left.key.engineValue == right.key.engineValue
    }
}
