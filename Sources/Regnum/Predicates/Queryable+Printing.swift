internal import RegnumEngine
internal import RegnumStore

extension Queryable {
    /// The conditions, sorts, distinct properties and limit as a predicate string. ``filter(_:_:)``
    /// on all objects of the class, or on the same collection, returns the same objects in the same
    /// order.
    ///
    ///     let adults = realm.objects(Person.self).where { $0.age >= 18 }.sorted(by: \.name)
    ///     try adults.predicate  // age >= 18 SORT(name ASC)
    ///
    /// Properties appear under their Swift names. Objects are identified by their primary keys;
    /// those deleted since are omitted. The string doesn't name the class or collection that is
    /// queried. Without conditions, it starts with `TRUEPREDICATE`.
    ///
    /// - Throws: `.invalidQuery` for a query that has no predicate string. The message names the
    ///   condition: one on objects without a primary key, on an `AnyRealmValue` that equals an
    ///   object, or one nested too deeply for a string. Also the error of an invalid query, and the
    ///   errors of looking up objects.
    /// - Complexity: O(n) for the n conditions and values.
    public var predicate: String {
        get throws(Realm.Error) {
            if let problem = _realm.problem { throw problem }
            return try ReadScope.runThrowing { () throws(Realm.Error) in try printed() }
        }
    }

    private func printed() throws(Realm.Error) -> String {
        let schema = modelSchema
        var printer = printer
        do throws(PredicateUnprintable) {
            let text = try printer.text(_plan.plan, schema)
            var parsed = _Plan(plan: QueryPlan(tableName: schema.name))
            do {
                try add(text, .positions([]), schema, to: &parsed)
            } catch {
                throw PredicateUnprintable("its string would be invalid: \(error.message)")
            }
            return text
        } catch {
            throw Realm.Error(
                .invalidQuery,
                "The query for \(schema.name) can't be printed: \(error.reason).",
                className: schema.name)
        }
    }

    /// A printer of the query's conditions.
    var printer: PredicatePrinter {
        let scope = QueryScope(realm: _realm.core, rootName: modelSchema.name)
        let binder = PredicateBinder(modelSchema, scope, .positions([]), objects: objects)
        return PredicatePrinter(binder) { primaryKey($0, of: $1) }
    }

    /// Returns the primary key of a row, or `nil` if there is no such row.
    private func primaryKey(_ schema: ClassSchema, of row: ObjectKey) -> Value? {
        guard let index = schema.primaryKey else { return nil }
        let column = schema.properties[index].columnName
        return _ask(nil, through: [StoredText(schema.name)]) { _, state in
            state.value(of: row, in: schema.name, column)
        }
    }
}

extension PredicatePrinter {
    /// Returns a query as a predicate string.
    fileprivate mutating func text(
        _ plan: QueryPlan, _ schema: ClassSchema
    ) throws(PredicateUnprintable) -> String {
        let start = PrintedPlace(text: "", row: .object(schema))
        let clauses = [try condition(plan.predicate, start)] + (try clauses(of: plan, start))
        return clauses.joined(separator: " ")
    }

    /// Returns the clauses that follow the condition.
    func clauses(
        of plan: QueryPlan, _ start: PrintedPlace
    ) throws(PredicateUnprintable) -> [String] {
        var clauses: [String] = []
        let sort = plan.sort.isEmpty ? [] : [QueryStep.sort(plan.sort)]
        let limit = plan.limit.map { [QueryStep.limit($0)] } ?? []
        for step in sort + plan.steps + limit {
            var paths: [String] = []
            switch step {
            case .sort(let terms):
                for term in terms {
                    let path = try column(term.column, at: start).text
                    paths.append("\(path) \(term.ascending ? "ASC" : "DESC")")
                }
                clauses.append("SORT(\(paths.joined(separator: ", ")))")
            case .distinct(let columns):
                if columns.isEmpty { continue }
                for column in columns { paths.append(try self.column(column, at: start).text) }
                clauses.append("DISTINCT(\(paths.joined(separator: ", ")))")
            case .limit(let count): clauses.append("LIMIT(\(count))")
            }
        }
        return clauses
    }
}
