internal import RegnumEngine

extension FrozenResults {
    /// Returns the position of the first occurrence of an object, or `nil` if there is none.
    /// Objects are identified by row: an object from another version is found, but an object from
    /// another realm isn't.
    ///
    /// - Complexity: O(log n) for all objects of a class; otherwise that of counting or evaluating
    ///   the query.
    public func index(of object: Frozen<Model>) -> Int? {
        object.table.isSameClass(as: table) ? query.position(of: object.row) : nil
    }

    /// Returns the position of the first occurrence of an object, like ``index(of:)``.
    public func firstIndex(of object: Frozen<Model>) -> Int? { index(of: object) }

    /// Returns whether the results contain an object. Objects are identified by row, as in
    /// ``index(of:)``.
    ///
    /// - Complexity: O(log n) to evaluate the condition for one object. Evaluates the query if it
    ///   uses `distinct`.
    public func contains(_ object: Frozen<Model>) -> Bool {
        object.table.isSameClass(as: table) && query.contains(object.row)
    }

    /// Returns a page of the objects: the first ones or, with the cursor of another page, those
    /// that follow it.
    ///
    ///     let messages = room.messages.sorted(by: \.sentAt, ascending: false)
    ///     let page = try messages.page(limit: 20)
    ///     let older = try messages.page(after: page.cursor, limit: 20)
    ///
    /// In contrast to an offset, a cursor doesn't shift when objects before it are inserted or
    /// deleted: an object that keeps its sort values is on exactly one page. Objects with equal
    /// sort values are in order of creation, as in the results, or in order of their positions in a
    /// list or map. For a list or map, `page` throws if the last object of the previous page was
    /// removed from the collection and other objects have the same sort values.
    ///
    /// - Parameters:
    ///   - cursor: The ``ResultsPage/cursor`` of a page of the same class or collection in the same
    ///     order, possibly with other conditions. `nil` for the first page.
    ///   - limit: The maximum number of objects, at least 1.
    /// - Throws: `.invalidInput` for a cursor of another realm, class, collection or order (the
    ///   message says which), of commits that this realm lacks because an earlier state was
    ///   restored, or of a class that was removed and added again, and for a limit below 1; the
    ///   errors of the query.
    /// - Complexity: O(page x log n) for all objects of a class in order of creation, for those
    ///   with one value of an indexed property, and for a sort by an indexed integer, boolean or
    ///   date. Otherwise as for evaluating the query, but other objects aren't collected if
    ///   the query is for objects of a class, without `distinct`, limit or a sort through links.
    public func page(
        after cursor: PageCursor? = nil, limit: Int
    ) throws(Realm.Error) -> ResultsPage<Frozen<Model>> {
        let found = try rowPage(after: cursor, limit: limit) ?? FoundPage(keys: [])
        return ResultsPage(found) { Frozen(table, row: $0) }
    }

    /// Returns up to `limit` of the objects, the most relevant to the full-text searches of the
    /// query first. Objects of equal relevance are in the order of the results.
    ///
    ///     let about = snapshot.objects(Note.self).where { $0.text.matchesText("green tea") }
    ///     for hit in try about.mostRelevant(limit: 10) { print(hit.score, hit.object.title) }
    ///
    /// The score is the sum of the BM25 scores (S. Robertson and H. Zaragoza, *The Probabilistic
    /// Relevance Framework: BM25 and Beyond*, 2009) of the object's text for all searches in the
    /// conditions that the object meets, `matchesText` or `TEXT`, except those of linked objects
    /// and those that are negated. The score of a text for a search is the sum over its terms,
    /// which are the words and prefixes that it requires, including the words of phrases:
    ///
    ///     log(1 + (N - n + 0.5) / (n + 0.5)) * f * (k1 + 1) / (f + k1 * (1 - b + b * l / m))
    ///
    /// - `N` is the number of objects of the class, and `n` that of the objects whose text contains
    ///   the term. `n` is taken from the index, which doesn't tell all words of more than eight
    ///   letters apart if they agree in the first eight, and which counts by the first eight
    ///   letters of a longer prefix.
    /// - `f` is the number of occurrences of the term in the text: for a prefix, that of all words
    ///   that start with it.
    /// - `l` is the number of words in the text, and `m` the mean of `l` in these results.
    /// - `k1` is 1.2 and `b` is 0.75.
    ///
    /// - Parameter limit: The maximum number of objects, at least 1.
    /// - Throws: `.invalidQuery` if the query doesn't search the objects' own properties for any
    ///   word; `.invalidInput` for a limit below 1; the errors of the query.
    /// - Complexity: That of evaluating the query, plus O(m log m) for m objects, whose texts are
    ///   read.
    public func mostRelevant(
        limit: Int
    ) throws(Realm.Error) -> [SearchHit<Frozen<Model>>] {
        let rows = try scoredRows(limit: limit) ?? []
        return rows.map { SearchHit(object: Frozen(table, row: $0.key), score: $0.score) }
    }

    /// Returns the objects at the given positions, in the order of the positions.
    ///
    /// - Precondition: All positions are in `0..<count`.
    public func objects(at positions: some Sequence<Int>) -> [Frozen<Model>] {
        positions.map { self[$0] }
    }
}
