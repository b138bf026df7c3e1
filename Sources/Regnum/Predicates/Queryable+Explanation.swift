internal import RegnumEngine
internal import RegnumStore

extension Queryable {
    /// Evaluates the query and describes in plain English how it was evaluated: which index found
    /// the objects, or why all of them were scanned; in which order the conditions were evaluated;
    /// and how many objects and index entries were read.
    ///
    ///     print(try snapshot.objects(Message.self)
    ///         .where { $0.text.contains("tea") && $0.room == "home" }.explain())
    ///     // Finds 40 candidates among 2000 objects of Message using the index on room.
    ///     // Checks, in this order: room == 'home'; text CONTAINS 'tea'.
    ///     // Examined 40 objects and 40 index entries; the result has 3 objects.
    ///
    /// The text is meant for people, and its wording may change. The numbers apply to this
    /// evaluation, which collects the whole result; `count` and `first` may need less work.
    ///
    /// - Throws: The error of an invalid query, and the errors of evaluating it. In a transaction,
    ///   the latter also fail the transaction.
    /// - Complexity: That of evaluating the query.
    public func explain() throws(Realm.Error) -> String {
        if let problem = _realm.problem { throw problem }
        let plan = _plan.plan
        let found = try answer(through: []) { plan, state throws(StoreError) in
            try plan.explain(state)
        }
        guard let found else { return "" }  // the results of a recorder
        return try ReadScope.runThrowing { () throws(Realm.Error) in text(of: found, plan) }
    }

    private func text(of found: QueryExplanation, _ plan: QueryPlan) -> String {
        var lines = [found.accessSentence(plan)]
        var printer = printer
        let start = PrintedPlace(text: "", row: .object(modelSchema))
        let conditions = printer.evaluated(plan.predicate, start)
        if !conditions.isEmpty { lines.append(found.conditionSentence(conditions)) }
        lines.append(found.workSentence)
        let clauses = (try? printer.clauses(of: plan, start)) ?? []
        if !clauses.isEmpty { lines.append("Then: \(clauses.joined(separator: " ")).") }
        return lines.joined(separator: "\n")
    }
}

extension PredicatePrinter {
    /// Returns the conditions of a conjunction in the order in which they are evaluated.
    fileprivate mutating func evaluated(
        _ predicate: Predicate, _ start: PrintedPlace
    ) -> [String] {
        switch predicate {
        case .constant(true): return []
        case .and(let terms) where (try? test(predicate, at: start)) == nil:
            let terms = terms.count > 2 ? terms.joiningContentSteps : terms
            return Predicate.and(terms).evaluatedTerms.flatMap { evaluated($0, start) }
        default:
            do throws(PredicateUnprintable) {
                return [try condition(predicate, start)]
            } catch {
                return ["a condition that can't be printed (\(error.reason))"]
            }
        }
    }
}

extension QueryExplanation {
    fileprivate func accessSentence(_ plan: QueryPlan) -> String {
        let all = "\(rowCount.of("object")) of \(plan.tableName)"
        switch access {
        case .nothing: return "Reads nothing: no object of \(plan.tableName) can match."
        case .all: return "Takes all \(all)."
        case .related: return "Reads the objects of \(plan.source.words)."
        case .scan(nil): return "Scans all \(all): there is no index for the conditions."
        case .scan(let count?):
            return "Scans all \(all): indexes would find \(count.of("candidate")), too many to "
                + "look up one by one."
        case .lookup(let means, let count, let isExact):
            let found = count.of(isExact ? "object" : "candidate")
            let ways = means.map(\.words).joined(separator: " and ")
            return "Finds \(found) among \(all) using \(ways)."
        }
    }

    fileprivate func conditionSentence(_ conditions: [String]) -> String {
        let list = conditions.joined(separator: "; ")
        switch access {
        case .lookup(_, candidateCount: _, isExact: true):
            return "The lookup covers the conditions: \(list)."
        case .nothing: return "The conditions are: \(list)."
        default:
            return conditions.count == 1
                ? "Checks: \(list)." : "Checks, in this order: \(list)."
        }
    }

    fileprivate var workSentence: String {
        "Examined \(statistics.rowsEvaluated.of("object")) and "
            + "\(statistics.indexEntriesRead.of("index entry", "index entries")); "
            + "the result has \(foundCount.of("object"))."
    }
}

extension QueryExplanation.Means {
    fileprivate var words: String {
        switch self {
        case .index(let column): "the index on \(column)"
        case .words(let column): "the full-text index on \(column)"
        case .points(let table, let list): "the geospatial index on \(table).\(list)"
        case .path(let property): "reverse traversal of \(property) from matching objects"
        case .given: "the given objects themselves"
        }
    }
}

extension QuerySource {
    fileprivate var words: String {
        switch self {
        case .table: "the class"
        case .list(let owner, _, let name):
            "the collection \(owner.wrappedValue).\(name.wrappedValue)"
        case .backlinks(let name, _, _): "the inverse of \(name.wrappedValue)"
        }
    }
}
