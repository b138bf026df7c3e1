import RegnumStore

/// Compiling hops and the predicates that contain them.
extension QueryCompiler {
    /// Resolves one hop. Returns `nil` if it isn't stored and therefore leads to nothing.
    ///
    /// Throws `schemaMismatch` if the property isn't a link or list, or leads to another class.
    func resolve(_ hop: Hop) throws(StoreError) -> CompiledHop? {
        switch hop.kind {
        case .link:
            if let column = table?.column(named: hop.name) {
                guard let target = column.linkTarget else {
                    throw mismatch(tableName, hop.name, "as \(column.type), not as a link")
                }
                try check(target, hop.target, tableName, hop.name)
                return .link(LinkHop(column: column.key.index, target: target))
            }
            if table?.list(named: hop.name) != nil {
                throw mismatch(tableName, hop.name, "as a list, not as a link")
            }
            return nil
        case .list:
            if let list = table?.list(named: hop.name), let table {
                try check(list.target, hop.target, tableName, hop.name)
                let place = ListPlace(table: table.key, list: list.key)
                if hop.isSingle {
                    return element(hop, place, list.target).map { .element($0) }
                }
                return .list(place, target: list.target)
            }
            if let column = table?.column(named: hop.name) {
                throw mismatch(tableName, hop.name, "as \(column.type), not as a list")
            }
            return nil
        case .backlinks:
            guard let origin = schema.table(named: hop.target) else { return nil }
            if let list = origin.list(named: hop.name) {
                try check(list.target, tableName, hop.target, hop.name)
                return .listOrigins(ListPlace(table: origin.key, list: list.key))
            }
            guard let column = origin.column(named: hop.name) else { return nil }
            guard let target = column.linkTarget else {
                throw mismatch(hop.target, hop.name, "as \(column.type), not as a link or list")
            }
            try check(target, tableName, hop.target, hop.name)
            return .linkOrigins(origin.key, column.key)
        }
    }

    /// Returns a compiler for the class that a hop leads to.
    func compiler(behind hop: Hop) -> QueryCompiler { QueryCompiler(schema, hop.target) }

    private func check(
        _ target: TableKey, _ wanted: String, _ className: String, _ property: String
    ) throws(StoreError) {
        guard target.index < schema.tables.count else {
            throw mismatch(className, property, "as a link to a class that does not exist")
        }
        let stored = schema.tables[target.index].name
        if equalUTF8(stored, wanted) { return }
        throw mismatch(className, property, "with objects of \(stored), not of \(wanted)")
    }

    private func mismatch(_ className: String, _ property: String, _ how: String) -> StoreError {
        StoreError(
            .schemaMismatch, "\(className).\(property) is stored \(how).",
            className: className, property: property)
    }

    /// Resolves a property that is reached through links, elements of lists and entries of maps.
    /// Throws `invalidQuery` for hops to several rows.
    func resolvePath(_ reference: ColumnReference) throws(StoreError) -> PathColumn {
        var compiler = self
        var hops: [CompiledHop] = []
        var isStored = true
        for hop in reference.hops {
            if !hop.isSingle { throw compiler.severalObjects(hop) }
            if let hop = try compiler.resolve(hop), isStored {
                hops.append(hop)
            } else {
                isStored = false
            }
            compiler = compiler.compiler(behind: hop)
        }
        let lastLink = reference.hops.lastIndex { $0.kind == .link }
        return PathColumn(
            hops: hops, isStored: isStored, linkedCount: lastLink.map { $0 + 1 } ?? 0,
            column: try compiler.resolve(reference))
    }

    private func checkLink(_ hop: Hop) throws(StoreError) {
        if hop.kind != .link { throw severalObjects(hop) }
    }

    private func severalObjects(_ hop: Hop) -> StoreError {
        StoreError(
            .invalidQuery,
            "\(tableName).\(hop.name) leads to several objects; a value can "
                + "only be read through links to one object.",
            className: tableName, property: hop.name)
    }

    /// Compiles a condition on a property that may be reached through links.
    func through(
        _ reference: ColumnReference, whenNull: Bool,
        _ make: (QueryCompiler, ColumnReference) throws(StoreError) -> CompiledPredicate
    ) throws(StoreError) -> CompiledPredicate {
        if reference.hops.isEmpty { return try make(self, reference) }
        for hop in reference.hops { try checkLink(hop) }
        var end = reference
        end.hops = []
        return try behind(reference.hops[...], whenEmpty: whenNull) {
            compiler, hops throws(StoreError) in try make(compiler, end)
        }
    }

    /// Follows the links at the start of a path and evaluates the result of `make` for the rest of
    /// the path on the row they lead to. The result is `whenEmpty` if a link is null or the path
    /// isn't stored.
    private func behind(
        _ hops: ArraySlice<Hop>, whenEmpty: Bool,
        _ make: (QueryCompiler, [CompiledHop]) throws(StoreError) -> CompiledPredicate
    ) throws(StoreError) -> CompiledPredicate {
        guard let first = hops.first, first.kind == .link else {
            var rest: [CompiledHop] = []
            var isStored = true
            var compiler = self
            for hop in hops {
                if let hop = try compiler.resolve(hop) {
                    rest.append(hop)
                } else {
                    isStored = false
                }
                compiler = compiler.compiler(behind: hop)
            }
            // also made if it isn't evaluated, for its errors
            let predicate = try make(compiler, rest)
            return isStored ? predicate : .constant(whenEmpty)
        }
        let hop = try resolve(first)
        let rest = try compiler(behind: first)
            .behind(hops.dropFirst(), whenEmpty: whenEmpty, make)
        guard case .link(let link)? = hop else { return .constant(whenEmpty) }
        return .through(link, rest, whenNull: whenEmpty)
    }

    /// Compiles the condition that one of the rows at the end of a path matches.
    func related(_ hops: [Hop], _ term: Predicate) throws(StoreError) -> CompiledPredicate {
        try behind(hops[...], whenEmpty: false) { compiler, hops throws(StoreError) in
            let term = try compiler.compile(term)
            if hops.isEmpty { return term }
            return .related(CompiledPath(hops: hops, endLevelCount: term.pathLevelCount), term)
        }
    }

    func count(
        _ hops: [Hop], _ term: Predicate, _ comparison: Comparison, _ number: Int64
    ) throws(StoreError) -> CompiledPredicate {
        // Existence is cheaper to check than a count.
        switch (comparison, number) {
        case (.greater, 0), (.greaterOrEqual, 1), (.notEqual, 0):
            return try related(hops, term)
        case (.equal, 0), (.less, 1), (.lessOrEqual, 0):
            return .not(try related(hops, term))
        default: break
        }
        let forNone = comparison.holds(.int(0), .int(number))
        return try behind(hops[...], whenEmpty: forNone) { compiler, hops throws(StoreError) in
            let term = try compiler.compile(term)
            if !hops.isEmpty {
                let path = CompiledPath(hops: hops, endLevelCount: term.pathLevelCount)
                return .count(path, term, comparison, number)
            }
            // one row, which either matches or doesn't
            let forOne = comparison.holds(.int(1), .int(number))
            if forOne == forNone { return .constant(forOne) }
            return forOne ? term : .not(term)
        }
    }

    func aggregate(
        _ hops: [Hop], _ kind: AggregateKind, _ reference: ColumnReference,
        _ comparison: Comparison, _ value: Value
    ) throws(StoreError) -> CompiledPredicate {
        var end = self
        for hop in hops { end = end.compiler(behind: hop) }
        try end.check(kind, reference, value)
        let column = try end.resolvePath(reference)
        let aggregate = CompiledAggregate(
            kind: kind, column: column, comparison: comparison, value: value)
        return try behind(hops[...], whenEmpty: aggregate.whenEmpty) {
            _, hops throws(StoreError) in
            .aggregate(CompiledPath(hops: hops), aggregate)
        }
    }

    private func check(
        _ kind: AggregateKind, _ reference: ColumnReference, _ value: Value
    ) throws(StoreError) {
        let isDate = reference.type == .date && (kind == .min || kind == .max)
        guard isDate || [.int, .double, .decimal, .any].contains(reference.type) else {
            throw noAggregate(reference)
        }
        if let type = value.type { try check(reference, type) }
    }

    /// Returns the error for an aggregate that values of the property's type don't have.
    func noAggregate(_ reference: ColumnReference) -> StoreError {
        let className = reference.hops.last?.target ?? tableName
        return StoreError(
            .invalidQuery,
            "\(className).\(reference.name) is of type \(reference.type) and cannot be "
                + "aggregated this way.", className: className, property: reference.name)
    }

    /// Resolves the source of a plan's rows. Throws `schemaMismatch` as for hops.
    func compile(_ source: QuerySource) throws(StoreError) -> CompiledSource {
        switch source {
        case .table:
            return .table
        case .list(let owner, let row, let name):
            let origin = QueryCompiler(schema, owner.wrappedValue)
            let name = name.wrappedValue
            if let owner = origin.table, let map = entries(of: owner, name, to: table) {
                let hop = CompiledHop.entryTargets(
                    map.place, entries: map.link.table,
                    LinkHop(column: map.link.column.index, target: map.target))
                return .related(hop, owner.key, row.rawValue)
            }
            guard let hop = try origin.resolve(.list(name, of: tableName)),
                let table = origin.table?.key
            else { return .nothing }
            return .related(hop, table, row.rawValue)
        case .backlinks(let name, let target, let row):
            let (name, end) = (name.wrappedValue, QueryCompiler(schema, target.wrappedValue))
            if let owner = table, let map = entries(of: owner, name, to: end.table) {
                let hop = CompiledHop.entryOrigins(map.link, map.place)
                return .related(hop, map.target, row.rawValue)
            }
            guard let hop = try end.resolve(.backlinks(name, of: tableName)),
                let table = end.table?.key
            else { return .nothing }
            return .related(hop, table, row.rawValue)
        }
    }

    /// Returns the place of a map of objects of a class and the link of its entries; `nil` for
    /// other properties.
    private func entries(
        of owner: TableSchema, _ name: String, to target: TableSchema?
    ) -> (place: ListPlace, link: LinkPlace, target: TableKey)? {
        guard let target, let list = owner.list(named: name), list.kind == .map,
            list.target.index < schema.tables.count,
            let link = schema.tables[list.target.index].columns.first, link.linkTarget == target.key
        else { return nil }
        return (
            ListPlace(table: owner.key, list: list.key),
            LinkPlace(table: list.target, column: link.key), target.key
        )
    }
}
