/// A link to one row, resolved in one schema.
struct LinkHop: Hashable, Sendable {
    /// The index of the column.
    let column: Int
    let target: TableKey
}

/// A hop to any number of rows, resolved in one schema.
enum CompiledHop: Hashable, Sendable {
    case link(LinkHop)
    case list(ListPlace, target: TableKey)
    case element(ListElement)
    /// To the rows whose link of that column holds the row.
    case linkOrigins(TableKey, ColumnKey)
    /// To the rows whose list contains the row.
    case listOrigins(ListPlace)
    /// To the objects of a map, in the order of its keys. Used only as the source of a plan.
    case entryTargets(ListPlace, entries: TableKey, LinkHop)
    /// To the rows whose map contains the row, ascending, once for each key. Used only as the
    /// source of a plan.
    case entryOrigins(LinkPlace, ListPlace)

    /// The class of the rows that the hop leads to.
    var target: TableKey {
        switch self {
        case .link(let link): link.target
        case .list(_, let target): target
        case .element(let element): element.target
        case .linkOrigins(let origin, _): origin
        case .listOrigins(let place): place.table
        case .entryTargets(_, _, let link): link.target
        case .entryOrigins(_, let map): map.table
        }
    }
}

/// One or more hops, of which the first may lead to any number of rows.
struct CompiledPath: Hashable, Sendable {
    let hops: [CompiledHop]
    /// The number of nested lists and inverses that the condition at the end leads through.
    let endLevelCount: Int

    init(hops: [CompiledHop], endLevelCount: Int = 0) {
        self.hops = hops
        self.endLevelCount = endLevelCount
    }

    /// The class of the rows at the end.
    var target: TableKey { hops[hops.count - 1].target }
}

/// A property of the row at the end of a chain of hops that each lead to at most one row.
struct PathColumn: Sendable {
    /// The hops, up to the first one that isn't stored.
    let hops: [CompiledHop]
    /// Whether all hops are stored; otherwise the value is null.
    let isStored: Bool
    /// The number of hops through the last link, stored or not.
    let linkedCount: Int
    let column: ResolvedColumn

    init(_ column: ResolvedColumn) {
        self.init(hops: [], isStored: true, linkedCount: 0, column: column)
    }

    init(hops: [CompiledHop], isStored: Bool, linkedCount: Int, column: ResolvedColumn) {
        self.hops = hops
        self.isStored = isStored
        self.linkedCount = linkedCount
        self.column = column
    }

    /// Returns the value for a row, or `nil` if a link on the path is null or can't be reached. The
    /// value is null if a list or map after the last link lacks the element.
    func read(_ cluster: Cluster, _ row: Int, _ content: DatabaseContent) -> Value? {
        if hops.isEmpty, isStored { return column.value(cluster, row) }
        var place = (cluster: cluster, row: row)
        for (index, hop) in hops.enumerated() {
            guard let next = hop.follow(place.cluster, place.row, content) else {
                return index < linkedCount ? nil : .null
            }
            place = next
        }
        if isStored { return column.value(place.cluster, place.row) }
        return hops.count < linkedCount ? nil : .null
    }

    /// Returns the value for a row, null if the path leads to no row.
    func value(_ cluster: Cluster, _ row: Int, _ content: DatabaseContent) -> Value {
        read(cluster, row, content) ?? .null
    }
}

extension CompiledHop {
    /// Returns the row that a hop leads to, or `nil` if there is none. The hop must be a link or an
    /// element.
    @inline(__always)
    func follow(
        _ cluster: Cluster, _ row: Int, _ content: DatabaseContent
    ) -> (cluster: Cluster, row: Int)? {
        switch self {
        case .link(let link): link.follow(cluster, row, content)
        case .element(let element): element.follow(cluster, row, content)
        case .list, .linkOrigins, .listOrigins, .entryTargets, .entryOrigins:
            preconditionFailure("A hop of a property's path leads to several rows.")
        }
    }
}

extension LinkHop {
    /// Returns the row that a row links to, or `nil` if the link is null.
    @inline(__always)
    func follow(
        _ cluster: Cluster, _ row: Int, _ content: DatabaseContent
    ) -> (cluster: Cluster, row: Int)? {
        guard column < cluster.slotCount, !cluster.isNull(row, column) else { return nil }
        return content[target.index].place(UInt64(bitPattern: cluster.int(row, column)))
    }
}

/// A lookup of rows in one table by key, fast if consecutive keys are close to each other.
struct RowFinder {
    private let table: Table
    private var base: UInt64 = .max
    private var cluster: Cluster?

    init(_ table: Table) { self.table = table }

    @inline(__always)
    mutating func place(_ key: UInt64) -> (cluster: Cluster, row: Int)? {
        if Table.base(key) != base {
            base = Table.base(key)
            cluster = table.cluster(containing: key)
        }
        let row = Table.row(key)
        guard let cluster, cluster.isLive(row) else { return nil }
        return (cluster, row)
    }
}

/// A visitor of the rows at the end of a path.
protocol EndVisitor {
    /// Processes a row. Returns `false` to stop the iteration.
    mutating func visit(_ cluster: Cluster, _ row: Int, _ content: DatabaseContent) -> Bool
}

extension CompiledPath {
    /// Calls `visitor` for the rows that the path leads to from a row, in order, repeating rows
    /// that are reached several times. Returns `false` if the visitor stopped.
    ///
    /// - Complexity: O(log n) for each row on the path.
    @discardableResult
    func walk<Visitor: EndVisitor>(
        _ cluster: Cluster, _ row: Int, _ content: DatabaseContent, _ visitor: inout Visitor,
        from next: Int = 0
    ) -> Bool {
        if next == hops.count { return visitor.visit(cluster, row, content) }
        let key = cluster.firstKey + UInt64(row)
        var shouldContinue = true
        switch hops[next] {
        case .link(let link):
            return walk(link.follow(cluster, row, content), content, &visitor, after: next)
        case .list(let list, let target):
            var finder = RowFinder(content[target.index])
            content[list.table.index].elements(list.list.index).visit(key) { element in
                shouldContinue = walk(finder.place(element), content, &visitor, after: next)
                return shouldContinue
            }
        case .element(let element):
            return walk(element.follow(cluster, row, content), content, &visitor, after: next)
        case .linkOrigins(let origin, let column):
            guard let index = content.index(origin, column) else { return true }
            var finder = RowFinder(content[origin.index])
            index.forEachRow(DatabaseContent.linkKey(key)) { owner in
                shouldContinue = walk(finder.place(owner), content, &visitor, after: next)
                return shouldContinue
            }
        case .listOrigins(let list):
            let table = content[list.table.index]
            var finder = RowFinder(table)
            table.backlinks(list.list.index).forEachRepeatedRow(key) { owner in
                shouldContinue = walk(finder.place(owner), content, &visitor, after: next)
                return shouldContinue
            }
        case .entryTargets(let map, let entries, let link):
            var finder = RowFinder(content[entries.index])
            content[map.table.index].elements(map.list.index).visit(key) { entry in
                guard let place = finder.place(entry) else { return true }
                let target = link.follow(place.cluster, place.row, content)
                shouldContinue = walk(target, content, &visitor, after: next)
                return shouldContinue
            }
        case .entryOrigins(let link, let map):
            var finder = RowFinder(content[map.table.index])
            for owner in content.owners(ofEntriesWith: key, link, map) {
                shouldContinue = walk(finder.place(owner), content, &visitor, after: next)
                if !shouldContinue { break }
            }
        }
        return shouldContinue
    }

    /// Walks on from the row that a hop leads to, if there is one.
    @inline(__always)
    private func walk<Visitor: EndVisitor>(
        _ place: (cluster: Cluster, row: Int)?, _ content: DatabaseContent,
        _ visitor: inout Visitor, after hop: Int
    ) -> Bool {
        guard let place else { return true }
        return walk(place.cluster, place.row, content, &visitor, from: hop + 1)
    }

    /// Returns the number of rows that a path of a single hop leads to, without reading them; `nil`
    /// for other paths and for hops that can't be counted.
    ///
    /// - Complexity: O(log n)
    func count(of key: UInt64, _ content: DatabaseContent) -> Int? {
        guard hops.count == 1 else { return nil }
        switch hops[0] {
        case .link, .element, .entryTargets:
            return nil
        case .list(let list, _):
            return content[list.table.index].elements(list.list.index).count(key)
        case .linkOrigins(let origin, let column):
            return content.linkCount(of: key, origin, column)
        case .listOrigins(let list):
            return content[list.table.index].backlinks(list.list.index).count(in: key...key)
        case .entryOrigins(let link, _):
            return content.linkCount(of: key, link.table, link.column)
        }
    }
}

extension DatabaseContent {
    /// Returns the number of rows whose link refers to a row.
    fileprivate func linkCount(of row: UInt64, _ origin: TableKey, _ column: ColumnKey) -> Int {
        let key = DatabaseContent.linkKey(row)
        return index(origin, column)?.count(in: key...key) ?? 0
    }
}
