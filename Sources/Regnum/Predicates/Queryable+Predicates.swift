internal import RegnumEngine
internal import RegnumStore

extension Queryable {
    /// Returns the position of the first object that also matches a condition given as text, or
    /// `nil` if there is none.
    ///
    /// - Throws: The errors of ``filter(_:_:)``; `.invalidQuery` for a text with `SORT`, `DISTINCT`
    ///   or `LIMIT`.
    /// - Complexity: O(m) for m candidate rows. The matching objects aren't collected.
    func position(
        matching text: String, _ values: [Any?], _ schema: ClassSchema
    ) throws(Realm.Error) -> Int? {
        var found = _Plan(plan: QueryPlan(tableName: schema.name))
        try add(text, .positions(values), schema, to: &found)
        guard found.plan.sort.isEmpty, found.plan.steps.isEmpty, found.plan.limit == nil else {
            throw PredicateMistake(
                message: "SORT, DISTINCT and LIMIT can't be used to find a position.", offset: 0
            ).located(in: text, of: schema.name)
        }
        let predicate = found.plan.predicate
        var plan = _plan
        plan.operands.formUnion(found.operands)
        let position: Int?? = try _with(plan).answer(through: predicate.dependencies) {
            query, state throws(StoreError) in
            try query.firstPosition(where: predicate, state)
        }
        return position ?? nil
    }

    /// Returns the objects that match a predicate string.
    func filtered(
        by text: String, _ arguments: PredicateArguments, _ schema: ClassSchema
    ) throws(Realm.Error) -> Self {
        var plan = _plan
        try add(text, arguments, schema, to: &plan)
        return _with(plan)
    }

    /// Adds a predicate string to a query.
    func add(
        _ text: String, _ arguments: PredicateArguments, _ schema: ClassSchema,
        to plan: inout _Plan
    ) throws(Realm.Error) {
        let scope = QueryScope(realm: _realm.core, rootName: schema.name)
        let binder = PredicateBinder(schema, scope, arguments, objects: objects)
        try plan.plan.add(text, binder, schema.name)
        plan.add(scope)
    }
}

extension QueryPlan {
    /// Adds a predicate string.
    ///
    /// - Parameter binder: A binder for objects of the plan's class.
    mutating func add(
        _ text: String, _ binder: PredicateBinder, _ className: String
    ) throws(Realm.Error) {
        let scope = binder.scope
        do throws(PredicateMistake) {
            let statement = try PredicateParser.parse(text)
            try binder.arguments.check(statement)
            let predicate = try binder.condition(statement.condition)
            if predicate.levelCount > Limits.maximumConditionLevel { scope.refuseDepth() }
            add(predicate)
            let isLimited = limit != nil
            for (tail, offset) in statement.tails {
                try add(tail, binder, offset, isLimited: isLimited)
            }
        } catch {
            throw scope.problem ?? error.located(in: text, of: className)
        }
        if let problem = scope.problem { throw problem }
    }

    fileprivate mutating func add(
        _ tail: PredicateTail, _ binder: PredicateBinder, _ offset: Int, isLimited: Bool
    ) throws(PredicateMistake) {
        if case .limit = tail {
        } else if let limit {
            if isLimited {
                throw PredicateMistake(
                    message: "SORT and DISTINCT must come before a limit that the results "
                        + "already have.", offset: offset)
            }
            steps.append(.limit(limit))
            self.limit = nil
        }
        switch tail {
        case .sort(let orders):
            var terms: [SortTerm] = []
            for order in orders {
                terms.append(
                    SortTerm(
                        column: try binder.orderColumn(order.path), ascending: order.ascending))
            }
            addSort(terms)
        case .distinct(let paths):
            var columns: [ColumnReference] = []
            for path in paths { columns.append(try binder.orderColumn(path)) }
            steps.append(.distinct(columns))
        case .limit(let count):
            limit = Swift.min(limit ?? .max, count)
        }
    }
}

extension PredicateBinder {
    /// Returns the class with a name, which need not have been used with the realm before.
    func classSchema(named name: String) -> ClassSchema? {
        if let stored { return stored.schema(named: name) }
        guard let realm = scope.realm else { return nil }
        return realm.knownEntry(named: name)?.schema
            ?? realm.knownClasses.first { equalUTF8($0.name, name) }
            ?? realm.objectType(named: name).map { ClassSchema.of($0) }
    }

    /// Returns the value that objects are sorted or made distinct by.
    fileprivate func orderColumn(
        _ path: PredicatePath
    ) throws(PredicateMistake) -> ColumnReference {
        try singleColumn(path).column
    }

    /// Returns the property at the end of a path given as text, which belongs to one object or has
    /// a position or key.
    func singleColumn(
        _ text: String, of className: String
    ) throws(Realm.Error) -> (column: ColumnReference, storage: _StorageType) {
        do throws(PredicateMistake) {
            return try singleColumn(try PredicateParser.parsePath(text))
        } catch {
            throw error.located(in: text, of: className, "path")
        }
    }

    private func singleColumn(
        _ path: PredicatePath
    ) throws(PredicateMistake) -> (column: ColumnReference, storage: _StorageType) {
        let place = try place(path)
        let column: ColumnReference? =
            switch place.kind {
            case .values(let column, _): column.reached(through: place.hops)
            case .entry(let key, let column, _): column.reached(through: place.hops.entry(key))
            case .nested(let contents): contents.singleColumn
            default: nil
            }
        if let column, let storage = place.storage { return (column, storage) }
        throw refused(
            place,
            "can't be used in SORT or DISTINCT, only a single value, which may belong to "
                + "a linked object or have a position or key", path.offset)
    }
}

extension PredicateMistake {
    /// The error for a caller of `filter`.
    fileprivate func located(
        in text: String, of className: String, _ kind: String = "predicate"
    ) -> Realm.Error {
        let before = String(decoding: Array(text.utf8.prefix(offset)), as: UTF8.self)
        let shown = text.utf8.count > 800 ? String(text.unicodeScalars.prefix(200)) + "…" : text
        return Realm.Error(
            .invalidQuery,
            "The \(kind) \"\(shown)\" for \(className) is invalid at column "
                + "\(before.count + 1): \(message)", className: className)
    }
}
