internal import RegnumEngine
internal import RegnumStore

/// An object found by a full-text search, with its relevance.
///
///     let hits = try notes.where { $0.text.matchesText("green tea") }.mostRelevant(limit: 10)
///     for hit in hits { print(hit.score, hit.object.title) }
public struct SearchHit<Element> {
    public let object: Element
    /// The relevance: at least 0, and greater for objects that match better. Only the scores of one
    /// call can be compared. See ``FrozenResults/mostRelevant(limit:)`` for the formula.
    public let score: Double
}

extension SearchHit: Sendable where Element: Sendable {}

extension Queryable {
    /// Returns the most relevant rows of the result; `nil` for results of a recorder (see
    /// `ReadTracer`).
    func scoredRows(limit: Int) throws(Realm.Error) -> [ScoredRow]? {
        if let problem = _realm.problem { throw problem }
        guard limit > 0 else {
            throw Realm.Error(
                .invalidInput,
                "The limit of the most relevant objects must be at least 1: \(limit).",
                className: _plan.plan.tableName)
        }
        return try answer(through: []) { plan, state throws(StoreError) in
            try plan.mostRelevant(limit, state)
        }
    }
}
