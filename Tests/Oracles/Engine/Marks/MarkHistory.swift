import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// A random history of a graph. Any part of it is a step whose marks the oracle computes.
struct MarkHistory {
    private var world = MarkWorld()
    private var roots: [DatabaseRoot] = []
    private var contents: [MarkWorld.Content] = []
    private var summaries: [CommitSummary] = []
    private var sets: [[MarkWorld.Place: Set<Int>]] = []
    private(set) var markCount = 0

    init(commitCount: Int, _ generator: inout SeededRandom) throws {
        roots.append(world.root)
        contents.append(world.content)
        let lateStep = 2 + generator.below(commitCount)
        for number in 0..<commitCount {
            world.begin()
            if number == 0 { try world.addClasses() }
            if number == lateStep { try world.addLateClass() }
            for _ in 0..<(number == 0 ? 100 : 1 + generator.below(6)) {
                try world.edit(&generator)
            }
            guard world.hasChanges else { continue }
            summaries.append(try world.commit())
            roots.append(world.root)
            contents.append(world.content)
            sets.append(world.sets)
        }
    }

    /// Checks all classes and depths, and random paths, for a random part of the history.
    mutating func checkStep(_ generator: inout SeededRandom) throws {
        let start = generator.below(roots.count - 1)
        let length = generator.oneIn(3) ? roots.count : 3
        let end = start + 1 + generator.below(min(length, roots.count - 1 - start))
        let hasSummaries = !generator.oneIn(3)
        var filters: [ChangeFilter] = (-1...4).map { .deep($0) }
        for table in world.classes.indices {
            let paths = (0..<3).map { _ in randomPaths(table, &generator) }
            for filter in filters + paths {
                try check(table, filter, start, end, hasSummaries, &generator)
            }
        }
        // Results shared within a step don't depend on the order of the filters.
        filters.shuffle(using: &generator)
        let step = VersionStep(
            from: roots[start], to: roots[end], summaries: Array(summaries[start..<end]))
        let oracle = oracle(start, end, .exact)
        for filter in filters {
            guard case .deep(let depth) = filter else { continue }
            for table in contents[end].indices.shuffled(using: &generator) {
                expectEqual(step.marks(MarkWorld.names[table], filter), oracle.deep(table, depth))
            }
        }
    }

    private func oracle(
        _ start: Int, _ end: Int, _ comparison: MarkOracle.Comparison
    ) -> MarkOracle {
        let all = sets[start..<end].reduce(into: [:]) { $0.merge($1) { $0.union($1) } }
        return MarkOracle(
            classes(contents[end]), contents[start], contents[end], all, comparison)
    }

    /// Returns the classes that exist at a version; classes are never removed.
    private func classes(_ content: MarkWorld.Content) -> [MarkWorld.Class] {
        var classes = Array(world.classes[..<content.count])
        if content.count > MarkWorld.late { return classes }
        if classes.isEmpty { return classes }
        classes[MarkWorld.person].columns.removeAll { $0.name == "late" }
        classes[MarkWorld.person].lists.removeAll { $0.name == "lates" }
        return classes
    }

    private mutating func check(
        _ table: Int, _ filter: ChangeFilter, _ start: Int, _ end: Int, _ hasSummaries: Bool,
        _ generator: inout SeededRandom
    ) throws {
        let name = MarkWorld.names[table]
        // Only the classes that the filter declares as dependencies.
        let names = filter.dependencies(of: name, in: roots[end].schema)
        let known = summaries[start..<end].map { summary in
            CommitSummary(
                version: summary.version, origin: summary.origin,
                tables: summary.tables.filter { names.contains(StoredText($0.value.tableName)) })
        }
        let step = VersionStep(
            from: roots[start], to: roots[end], summaries: hasSummaries ? known : nil)
        let found = step.marks(name, filter)
        guard table < contents[end].count else {
            expectTrue(found.isEmpty)
            return
        }
        markCount += found.rows.count
        switch filter {
        case .deep(let depth):
            let comparison: MarkOracle.Comparison = hasSummaries ? .exact : .least
            expectEqual(
                found, oracle(start, end, comparison).deep(table, depth),
                "\(name) \(filter) \(start)..\(end) \(hasSummaries)")
        case .paths(let paths) where hasSummaries:
            expectEqual(
                found, oracle(start, end, .exact).paths(table, paths),
                "\(name) \(filter) \(start)..\(end)")
        case .paths(let paths):
            let least = oracle(start, end, .least).paths(table, paths)
            let most = oracle(start, end, .most).paths(table, paths)
            for (row, mark) in least.rows {
                expectTrue(found[row].map { mark.paths.isSubset(of: $0.paths) } ?? false)
            }
            for (row, mark) in found.rows {
                expectTrue(most[row].map { mark.paths.isSubset(of: $0.paths) } ?? false)
            }
        }
        checkRoutes(step, table, filter, found, contents[end])
        let again = VersionStep(
            from: roots[start], to: roots[end], summaries: hasSummaries ? known : nil)
        checkSome(again, table, filter, found, &generator)
    }

    /// Checks that the marks of some rows are the same, whichever way they are found.
    private func checkSome(
        _ step: VersionStep, _ table: Int, _ filter: ChangeFilter, _ marks: RowMarks,
        _ generator: inout SeededRandom
    ) {
        let end = step.new.keys(TableKey(rawValue: UInt32(table))).last?.rawValue ?? 0
        let count = [1, 2, 5, 40][generator.below(4)]
        let rows = (0..<count).map { _ in
            ObjectKey(rawValue: UInt64(generator.below(Int(end) + 3)))
        }
        let found = step.marks(
            MarkWorld.names[table], filter, among: rows,
            maximumFirstCount: [1, 2, 8, 256][generator.below(4)])
        for row in rows {
            expectEqual(found[row], marks[row], "\(MarkWorld.names[table]) \(row) \(filter)")
        }
        for (row, mark) in found.rows { expectEqual(mark, marks[row]) }
        let forward = step.forwardMarks(
            MarkWorld.names[table], filter, of: step.new.keys(TableKey(rawValue: UInt32(table))))
        expectEqual(forward, marks, "\(MarkWorld.names[table]) \(filter)")
    }

    /// Checks that the rows of each route are those rows that have the value.
    private func checkRoutes(
        _ step: VersionStep, _ table: Int, _ filter: ChangeFilter, _ marks: RowMarks,
        _ content: MarkWorld.Content
    ) {
        let name = MarkWorld.names[table]
        var count = 0
        for text in ["a", "b", "c", "d"] {
            let route = Route(
                tableName: name, column: world.classes[table].columns[0].name,
                value: .string(text))
            let routed = step.marks(name, filter, route: route)
            expectEqual(
                routed.rows,
                marks.rows.filter {
                    content[table][$0.key.rawValue]?.values[0] == .string(text)
                })
            count += routed.rows.count
        }
        expectEqual(count, marks.rows.count)
        expectEqual(step.marks(name, filter, route: nil), marks)
    }

    // MARK: Paths

    private func randomPaths(
        _ table: Int, _ generator: inout SeededRandom
    ) -> ChangeFilter {
        .paths((0..<1 + generator.below(3)).map { _ in randomPath(table, &generator) })
    }

    private func randomPath(_ start: Int, _ generator: inout SeededRandom) -> ChangePath {
        var table = start
        var hops: [Hop] = []
        for _ in 0..<generator.below(5) {
            guard let hop = self.hops(from: table).randomElement(using: &generator) else { break }
            hops.append(hop)
            table = MarkWorld.names.firstIndex(of: hop.target) ?? 0
        }
        let inverses = self.hops(from: table).filter { $0.kind == .backlinks }
        if generator.oneIn(3), let inverse = inverses.randomElement(using: &generator) {
            return ChangePath(
                hops: hops, last: .backlinks(name: inverse.$name, target: inverse.$target))
        }
        let model = world.classes[table]
        let names = model.columns.map(\.name) + model.lists.map(\.name)
        return ChangePath(
            hops: hops, last: .property(StoredText(names.randomElement(using: &generator) ?? "")))
    }

    /// Returns all steps from a class, to the classes that exist at the end.
    private func hops(from table: Int) -> [Hop] {
        var hops: [Hop] = []
        for (index, model) in world.classes.enumerated() {
            for column in model.columns {
                guard let target = MarkWorld.target(column) else { continue }
                if index == table {
                    hops.append(.link(column.name, to: MarkWorld.names[target]))
                }
                if target == table { hops.append(.backlinks(column.name, of: model.name)) }
            }
            for list in model.lists {
                if index == table {
                    hops.append(.list(list.name, of: MarkWorld.names[list.target]))
                }
                if list.target == table { hops.append(.backlinks(list.name, of: model.name)) }
            }
        }
        return hops
    }
}
