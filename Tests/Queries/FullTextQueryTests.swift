import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumEngine
@testable import RegnumTestModels

/// Full-text search by `matchesText` and `TEXT`.
@Suite struct FullTextQueryTests {
    /// Compares the objects that a predicate string and a condition find in all three views.
    private func expect(
        _ realm: Realm, _ text: String, _ ids: [Int],
        _ condition: @escaping @Sendable (Query<Memo>) -> Query<Bool>
    ) async throws {
        let frozen = realm.snapshot().objects(Memo.self)
        expectEqual(frozen.where(condition).map(\.id).sorted(), ids, "\(text)")
        try expectEqual(frozen.filter(text).map(\.id).sorted(), ids, "\(text)")
        let confined = try await realm.read { tx in
            let all = tx.objects(Memo.self)
            return [
                all.where(condition).map(\.id).sorted(), try all.filter(text).map(\.id).sorted(),
            ]
        }
        expectEqual(confined, [ids, ids], "\(text)")
        var stream = realm.objects(Memo.self).where(condition).changes.makeAsyncIterator()
        guard case .initial(let initial)? = try await stream.next() else {
            Issue.record("no initial collection")
            return
        }
        expectEqual(initial.map(\.id).sorted(), ids, "\(text)")
        try expectEqual(realm.objects(Memo.self).filter(text).count, ids.count, "\(text)")
    }

    // Covers 3.67, 3.78, 10.7, 10.8, 10.9
    @Test func wordsAreFoundInAllViews() async throws {
        let realm = try await Memos.realm()
        for (search, ids) in [
            ("quick", [1, 2]), ("QUICK fox", [1]), ("quick -fox", [2]), ("fox*", [1, 4]),
            ("fo* do*", [1, 4]), ("dog", [1]), ("cafe", [2]), ("NAÏVE Café", [2]),
            ("qui", []), ("-quick", [3, 4]), ("quick, service", [2]), ("aren", [4]),
            ("\"quick brown\" dog", [1]), ("\"brown quick\"", []), ("\"café, QUICK\"", [2]),
            ("quick -\"brown fox\"", [2]), ("-\"brown fox\"", [2, 3, 4]),
        ] {
            try await expect(realm, "text TEXT '\(search)'", ids) { $0.text.matchesText(search) }
        }
        // The title is optional.
        try await expect(realm, "title TEXT 'reply'", [4]) { $0.title.matchesText("reply") }
        try await expect(realm, "title text '-quick'", [1, 2, 4]) {
            $0.title.matchesText("-quick")
        }
        let found = try realm.snapshot().objects(Memo.self).filter("text TEXT %@", "quick fox")
        expectEqual(found.map(\.id), [1])
    }

    @Test func quantifiersAreNamesBeforeTheOperator() throws {
        for word in ["any", "ALL", "some", "none"] {
            for value in ["'fox'", "%@", "$0", "$word"] {
                let statement = try PredicateParser.parse("\(word) TEXT \(value)")
                guard case .comparison(let left, let comparison, _) = statement.condition,
                    case .path(let path) = left.kind
                else {
                    Issue.record("\(word) isn't a path before TEXT \(value)")
                    continue
                }
                expectEqual(comparison.kind, .search)
                guard case .name(word)? = path.steps.first?.kind else {
                    Issue.record("\(word) isn't a name before TEXT \(value)")
                    continue
                }
                expectTrue(left.quantifier == nil && path.steps.count == 1)
            }
            for text in ["text == 'fox'", "text TEXT 'fox'", "text.memos IN {1}"] {
                let statement = try PredicateParser.parse("\(word) \(text)")
                guard case .comparison(let left, _, _) = statement.condition else {
                    Issue.record("\(word) \(text) isn't a comparison")
                    continue
                }
                expectTrue(left.quantifier != nil, "\(word) \(text)")
            }
        }
    }

    // Covers 10.10
    @Test func searchesAreCombinedAndLeadThroughLinks() async throws {
        let realm = try await Memos.realm()
        try await expect(realm, "binder.summary TEXT 'swift'", [1, 3]) {
            $0.binder.summary.matchesText("swift")
        }
        try await expect(realm, "binder.summary TEXT 'swift' AND text TEXT 'fox'", [1]) {
            $0.binder.summary.matchesText("swift") && $0.text.matchesText("fox")
        }
        try await expect(realm, "text TEXT 'quick' OR title TEXT 'quick'", [1, 2, 3]) {
            $0.text.matchesText("quick") || $0.title.matchesText("quick")
        }
        try await expect(realm, "NOT text TEXT 'quick'", [3, 4]) {
            !$0.text.matchesText("quick")
        }
        try await expect(realm, "text TEXT 'quick' AND text TEXT 'fox'", [1]) {
            $0.text.matchesText("quick") && $0.text.matchesText("fox")
        }
        try await expect(realm, "text TEXT 'quick' AND id == 2", [2]) {
            $0.text.matchesText("quick") && $0.id == 2
        }
        try await expect(realm, "ANY replies.text TEXT 'dogs'", [1]) {
            $0.replies.text.matchesText("dogs")
        }
        try await expect(
            realm,
            "SUBQUERY(replies, $r, $r.text TEXT 'fox*' AND $r.title TEXT 'reply').@count > 0",
            [1]
        ) {
            $0.replies.any { $0.text.matchesText("fox*") && $0.title.matchesText("reply") }
        }
        try await expect(realm, "NONE replies.text TEXT 'dogs'", [2, 3, 4]) {
            $0.replies.none { $0.text.matchesText("dogs") }
        }
        // A link that is nil leads to no text.
        try await expect(realm, "binder.summary TEXT '-swift'", [2, 4]) {
            $0.binder.summary.matchesText("-swift")
        }
        // Nor does a position that a list doesn't have.
        for (text, ids) in [
            ("replies[0].text TEXT '-fox'", [1, 2, 3, 4]),
            ("replies[0].text TEXT '-dogs'", [2, 3, 4]),
            ("replies[0].text TEXT 'dogs -fox'", [1]),
        ] {
            let memos = try realm.snapshot().objects(Memo.self).filter(text)
            expectEqual(memos.map(\.id).sorted(), ids, "\(text)")
            try expectEqual(memos.predicate, text)
        }
        let binders = realm.snapshot().objects(MemoBinder.self)
        expectEqual(binders.where { $0.memos.text.matchesText("lazy") }.map(\.name), ["red"])
        try expectEqual(binders.filter("ANY memos.text TEXT 'cafe'").map(\.name), ["blue"])
        let replies = try requireValue(realm.snapshot().object(Memo.self, forPrimaryKey: 1)).replies
        expectEqual(replies.where { $0.text.matchesText("foxes") }.count, 1)
    }

    // Covers 10.8, .invalidQuery
    @Test func searchesThatRealmRefusesFail() async throws {
        let realm = try await Memos.realm()
        for (search, reason) in [
            ("", "no word"), ("-", "no word"), ("quick -fo*", "excludes a prefix"),
            ("fox -FOX", "requires and excludes"), ("full-text", "more than one word"),
            ((0...64).map { "w\($0)" }.joined(separator: " "), "at most 64 words"),
        ] {
            let text = await realmError {
                _ = try realm.snapshot().objects(Memo.self).filter("text TEXT %@", search)
            }
            expectEqual(text?.code, .invalidQuery)
            expectTrue(text?.message.contains(reason) ?? false, "\(text?.message ?? "")")
            let typed = await realmError {
                try await realm.read { tx in
                    _ = tx.objects(Memo.self).where { $0.text.matchesText(search) }.count
                }
            }
            expectEqual(typed?.code, .invalidQuery)
            expectEqual(typed?.className, "Memo")
            expectTrue(typed?.message.contains(reason) ?? false, "\(typed?.message ?? "")")
        }
    }

    // Covers 10.8, .invalidQuery
    @Test func propertiesWithoutAFullTextIndexAreNotSearched() async throws {
        let realm = try await Memos.realm()
        for (text, reason) in [
            ("plain TEXT 'a'", "has no full-text index"), ("id TEXT 'a'", "isn't a string"),
            ("binder.name TEXT 'a'", "has no full-text index"),
            ("binder.scores['x'] TEXT 'a'", "has no full-text index"),
            ("text TEXT title", "needs a string"), ("text TEXT 3", "needs a string"),
            ("text TEXT nil", "needs a string"), ("text TEXT[c] 'a'", "can't ignore case"),
            ("'a' TEXT text", "on the left"), ("binder TEXT 'a'", "isn't a string"),
        ] {
            let error = await realmError {
                _ = try realm.snapshot().objects(Memo.self).filter(text)
            }
            expectEqual(error?.code, .invalidQuery, "\(text)")
            expectTrue(error?.message.contains(reason) ?? false, "\(text): \(error?.message ?? "")")
        }
        let conditions: [@Sendable (Query<Memo>) -> Query<Bool>] = [
            { $0.plain.matchesText("a") }, { $0.binder.name.matchesText("a") },
            { $0.binder.scores.values.matchesText("a") },
            { $0.binder.scores["x"].matchesText("a") },
        ]
        for condition in conditions {
            let error = await realmError {
                try await realm.read { _ = $0.objects(Memo.self).where(condition).count }
            }
            expectEqual(error?.code, .invalidQuery)
            expectTrue(error?.message.contains("no full-text index") ?? false)
        }
    }

    // Covers 10.8
    @Test func propertiesMayBeNamedLikeTheOperator() async throws {
        let realm = try await Memos.realm()
        let all = realm.snapshot().objects(Memo.self)
        try expectEqual(all.filter("text TEXT 'fox' AND text CONTAINS 'lazy'").map(\.id), [1])
        try expectEqual(all.filter("NOT text == '' SORT(text ASC)").map(\.id), [2, 4, 1])
        try expectEqual(all.filter("SELF.text Text 'cafe'").map(\.id), [2])
        try expectEqual(all.filter("ANY replies.text == 'Foxes aren\\'t dogs'").map(\.id), [1])
    }

    // Covers 10.7
    @Test func streamsFollowTheWordsOfChangedObjects() async throws {
        let realm = try await Memos.realm()
        var random = SeededRandom("FullTextQueryTests.streams")
        var stream = realm.objects(Memo.self).where { $0.text.matchesText("swift -ant em*") }
            .sorted(by: \.id).changes.makeAsyncIterator()
        guard case .initial(let initial)? = try await stream.next() else {
            Issue.record("no initial collection")
            return
        }
        expectEqual(initial.count, 0)
        for round in 0..<Effort.count(gate: 40, soak: 1_000) {
            let seed = random.next()
            try await realm.write { tx in
                var random = SeededRandom(seed)
                for id in 0..<10 {
                    let text =
                        random.oneIn(2)
                        ? NaiveWords.text(&random) : "Swift émigré \(random.below(3))"
                    switch random.below(3) {
                    case 0: try tx.add(Memo(10 + id, text), update: .modified)
                    case 1: tx.object(Memo.self, forPrimaryKey: 10 + id)?.text = text
                    default: break
                    }
                }
                try tx.add(Memo(1_000 + round, "emu, swift"))  // each commit changes the result
            }
            guard case .update(let now, _)? = try await stream.next() else {
                Issue.record("no update")
                return
            }
            let naive = realm.snapshot().objects(Memo.self).filter { memo in
                let words = NaiveWords.words(memo.text)
                return words.isSuperset(of: ["swift"]) && !words.contains("ant")
                    && words.contains { $0.hasPrefix("em") }
            }
            expectEqual(now.map(\.id), naive.map(\.id).sorted())
            try await realm.snapshot().checkIntegrity()
        }
    }

    // Covers 10.7
    @Test func savepointsAndFailedWritesLeaveTheIndexAsItWas() async throws {
        let realm = try await Memos.realm()
        struct Stop: Error {}
        try await realm.write { tx in
            let found = tx.objects(Memo.self).where { $0.text.matchesText("quick") }
            let memo = try requireValue(tx.object(Memo.self, forPrimaryKey: 1))
            try? tx.savepoint {
                memo.text = "slow"
                try tx.add(Memo(9, "quick quick"))
                expectEqual(found.map(\.id), [2, 9])
                throw Stop()
            }
            expectEqual(found.map(\.id), [1, 2])
            memo.text = "not quick"
            expectEqual(found.map(\.id), [1, 2])
        }
        await #expect(throws: Stop.self) {
            try await realm.write { tx in
                tx.object(Memo.self, forPrimaryKey: 1)?.text = "slow"
                throw Stop()
            }
        }
        let snapshot = realm.snapshot()
        expectEqual(
            snapshot.objects(Memo.self).where { $0.text.matchesText("quick") }.map(\.id), [1, 2])
        expectEqual(
            snapshot.objects(Memo.self).where { $0.text.matchesText("brown") }.map(\.id), [])
        try await snapshot.checkIntegrity()
    }

    // Covers 10.7
    @Test func schemasTellWhichPropertiesHaveFullTextIndexes() async throws {
        let declared = Memo().objectSchema
        expectEqual(declared.properties.filter(\.isFullTextIndexed).map(\.name), ["text", "title"])
        expectEqual(declared["text"]?.isIndexed, false)
        expectEqual(declared["title"]?.description, "title: String?, full-text indexed")
        let realm = try await Memos.realm()
        let stored = realm.core.coordinator.published.schema.table(named: "Memo")
        let columns = stored?.columns.filter(\.isFullTextIndexed).map(\.name)
        expectEqual(columns, ["text", "title"])
    }
}

/// A property that gets a full-text index in a later version of its program, which doesn't list its
/// classes.
@Suite struct FullTextGrowthTests {
    private enum First {
        final class Page: Object {
            @Persisted(primaryKey: true) var number: Int
            @Persisted var text: String
        }
    }

    private enum Later {
        final class Page: Object {
            @Persisted(primaryKey: true) var number: Int
            @Persisted(fullTextIndexed: true) var text: String
            @Persisted(fullTextIndexed: true) var note = "new note"
        }
    }

    private func hasIndex(_ realm: Realm) -> Bool {
        let schema = realm.core.coordinator.published.schema
        return schema.table(named: "Page")?.column(named: "text")?.isFullTextIndexed ?? false
    }

    // Covers 10.3, 10.7
    @Test func declaredIndexIsBuiltByTheFirstWriteThatStoresAnObject() async throws {
        let realm = try await Realm.temporary([First.Page.self])
        try await realm.write { tx in
            for number in 0..<1_500 {
                try tx.create(
                    First.Page.self, value: ["number": number, "text": "page w\(number % 7)"])
            }
        }
        let later = try LaterProgram.core(of: realm)
        expectTrue(!hasIndex(realm))
        let before = later.snapshot().objects(Later.Page.self)
        expectEqual(before.where { $0.text.matchesText("PAGE w3") }.count, 214)
        expectEqual(before.where { $0.note.matchesText("note") }.count, 1_500)
        try await later.write { tx in
            let pages = tx.objects(Later.Page.self).where { $0.text.matchesText("w3") }
            expectEqual(pages.count, 214)
            try tx.create(Later.Page.self, value: ["number": 5_000, "text": "W3, again"])
            expectEqual(pages.count, 215)
            pages[0].text = "elsewhere"
            expectEqual(pages.count, 214)
            expectEqual(
                tx.objects(Later.Page.self).where { $0.note.matchesText("note") }.count, 1_501)
        }
        expectTrue(hasIndex(realm))
        // The older program continues, and maintains the index.
        try await realm.write { tx in
            try tx.create(First.Page.self, value: ["number": 6_000, "text": "w3"])
            tx.object(First.Page.self, forPrimaryKey: 10)?.text = "no longer"
        }
        let after = later.snapshot()
        expectEqual(
            after.objects(Later.Page.self).where { $0.text.matchesText("w3") }.count, 214)
        try await after.checkIntegrity()
    }
}
