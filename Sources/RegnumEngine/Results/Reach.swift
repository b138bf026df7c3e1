/// The paths through which a plan reads rows of other classes, with shared prefixes merged, and the
/// properties it reads along them. Used to find the rows that a change of other rows can concern.
struct Reach: Sendable {
    /// A class that a path leads to. The first place is the plan's own class.
    struct Place: Sendable {
        let table: TableKey
        /// The hop that leads here, from the place at `parent`.
        let hop: CompiledHop?
        let parent: Int
        /// The columns read here, including links that are followed.
        var columns = ColumnSet()
        /// The lists followed from here.
        var lists: Set<ListKey> = []
        /// The hops from here to the origins of a link or list.
        var origins: Set<CompiledHop> = []
    }

    /// The places; each one follows its parent.
    private(set) var places: [Place] = []

    /// Whether the plan only reads rows of its own class.
    var isEmpty: Bool { places.count <= 1 }

    init(_ query: CompiledQuery, _ columns: [PathColumn]) {
        guard let table = query.table else { return }
        places = [Place(table: table, hop: nil, parent: -1)]
        add(query.predicate, at: 0)
        for column in columns { add(column, at: 0) }
    }

    private mutating func add(_ predicate: CompiledPredicate, at place: Int) {
        switch predicate {
        case .constant, .isRow, .inSet: break
        case .compare(let column, _, _, _), .matchText(let column, _),
            .matchWords(let column, _), .isIn(let column, _), .isKind(let column, _, _):
            add(column, at: place)
        case .compareColumns(let a, _, let b):
            add(a, at: place)
            add(b, at: place)
        case .through(let link, let term, _):
            add(term, at: follow(.link(link), from: place))
        case .throughSet(let link, _, _):
            _ = follow(.link(link), from: place)
        case .compareValues(let a, _, let b), .matchTextColumns(let a, _, let b, _):
            add(a, at: place)
            add(b, at: place)
        case .within(let layout, _):
            add(layout.type, at: place)
            let list = CompiledHop.list(layout.coordinates, target: layout.elements)
            add(layout.element, at: follow(list, from: place))
        case .related(let path, let term), .count(let path, let term, _, _):
            add(term, at: follow(path.hops, from: place))
        case .aggregate(let path, let aggregate):
            add(aggregate.column, at: follow(path.hops, from: place))
        case .compareNumbers(let a, _, let b):
            add(a, at: place)
            add(b, at: place)
        case .and(let terms), .or(let terms):
            for term in terms { add(term, at: place) }
        case .not(let term): add(term, at: place)
        }
    }

    private mutating func add(_ column: ResolvedColumn, at place: Int) {
        if let stored = column.stored { places[place].columns.insert(stored.key) }
    }

    private mutating func add(_ expression: CompiledExpression, at place: Int) {
        var columns: [PathColumn] = []
        expression.forEachColumn { columns.append($0) }
        for column in columns { add(column, at: place) }
        var counts: [(path: CompiledPath, term: CompiledPredicate)] = []
        expression.forEachCount { counts.append(($0, $1)) }
        for (path, term) in counts { add(term, at: follow(path.hops, from: place)) }
    }

    private mutating func add(_ column: PathColumn, at place: Int) {
        let end = follow(column.hops, from: place)
        if column.isStored { add(column.column, at: end) }
    }

    private mutating func follow(_ hops: [CompiledHop], from place: Int) -> Int {
        hops.reduce(place) { follow($1, from: $0) }
    }

    /// Returns the place that a hop leads to, adding it if needed, and records what the hop reads
    /// at its start.
    private mutating func follow(_ hop: CompiledHop, from place: Int) -> Int {
        switch hop {
        case .link(let link):
            places[place].columns.insert(ColumnKey(rawValue: UInt16(link.column)))
        case .list(let list, _): places[place].lists.insert(list.list)
        case .element(let element):
            places[place].lists.insert(element.list.list)
            if let holder = element.holder { places[place].columns.insert(holder) }
        case .linkOrigins, .listOrigins: places[place].origins.insert(hop)
        case .entryTargets, .entryOrigins: break  // no condition leads through them
        }
        // from the place after the parent on, so that a long path isn't compared with itself
        let known = places[(place + 1)...]
            .firstIndex { $0.parent == place && $0.hop == hop }
        if let known { return known }
        places.append(Place(table: hop.target, hop: hop, parent: place))
        return places.count - 1
    }

    /// Returns the rows of the plan's class, ascending, that a step's changes of other rows may
    /// concern. Rows of the class that changed themselves are included only if they are also
    /// reached through other rows.
    ///
    /// If a row matches or sorts differently at the two versions, its paths lead to a changed row
    /// in both of them. Searching back in the new version alone is therefore sufficient.
    /// - Complexity: O(changes x rows that lead to them x log n).
    func rows(_ step: VersionStep) -> [UInt64] {
        if isEmpty { return [] }
        var found = [[UInt64]](repeating: [], count: places.count)
        var statistics = QueryStatistics()
        for index in places.indices.reversed() {
            let place = places[index]
            changed(place, isOwn: index == 0, step, &found[index])
            if found[index].isEmpty { continue }
            let rows = found[index].sortedUniquely()
            guard let hop = place.hop else { return rows }
            found[index] = []
            step.counters.rowsReached.add(rows.count)
            let origins = hop.origins(
                of: rows, places[place.parent].table, step.new.content, maximumCount: .max,
                &statistics)
            found[place.parent] += origins ?? []
        }
        return found[0]
    }

    /// Collects the rows whose properties read at a place changed.
    private func changed(
        _ place: Place, isOwn: Bool, _ step: VersionStep, _ rows: inout [UInt64]
    ) {
        if !isOwn {
            let delta = step.delta(of: place.table)
            for row in delta.modified where row.columns.intersects(place.columns) {
                rows.append(row.key.rawValue)
            }
            for list in place.lists {
                for change in delta.listChanges[list] ?? [] { rows.append(change.row.rawValue) }
            }
        }
        for hop in place.origins {
            switch hop {
            case .linkOrigins(let table, let column):
                rows += step.targets(of: LinkPlace(table: table, column: column))
            case .listOrigins(let list): rows += step.targets(of: list)
            case .link, .list, .element, .entryTargets, .entryOrigins: break
            }
        }
    }
}
