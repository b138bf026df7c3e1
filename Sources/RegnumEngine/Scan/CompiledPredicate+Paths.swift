/// Terms that read other rows than the one they are evaluated for.
extension CompiledPredicate {
    /// Whether the path leads from a row to a matching one.
    @inline(__always)
    static func isRelated(
        _ path: CompiledPath, _ predicate: CompiledPredicate, _ cluster: Cluster, _ row: Int,
        _ content: DatabaseContent
    ) -> Bool {
        if case .constant(true) = predicate,
            let count = path.count(of: cluster.firstKey + UInt64(row), content)
        {
            return count > 0
        }
        if path.isNested || path.mayRepeatManyRows {
            if var search = ReachSearch(path, predicate) {
                return search.finds(cluster, row, content)
            }
            return !path.matchingEnds(predicate, cluster, row, content).isEmpty
        }
        var counter = MatchCounter(predicate: predicate, max: 1)
        path.walk(cluster, row, content, &counter)
        return counter.count > 0
    }

    static func compareCount(
        _ path: CompiledPath, _ predicate: CompiledPredicate, _ comparison: Comparison,
        _ number: Int64, _ cluster: Cluster, _ row: Int, _ content: DatabaseContent
    ) -> Bool {
        if case .constant(true) = predicate,
            let count = path.count(of: cluster.firstKey + UInt64(row), content)
        {
            return comparison.holds(.int(Int64(count)), .int(number))
        }
        // counting to one more than the number is enough
        let max = number < 0 ? 1 : (number < Int64.max ? Int(number) + 1 : Int.max)
        let term =
            path.isNested
            ? .isRow(path.matchingEnds(predicate, cluster, row, content)) : predicate
        var counter = MatchCounter(predicate: term, max: max)
        path.walk(cluster, row, content, &counter)
        return comparison.holds(.int(Int64(counter.count)), .int(number))
    }

    /// Returns the rows of `rows` whose linked row matches, and those without a linked row if
    /// `whenNull`.
    static func through(
        _ link: LinkHop, _ predicate: CompiledPredicate, whenNull: Bool, _ cluster: Cluster,
        _ rows: RowMask, _ content: DatabaseContent
    ) -> RowMask {
        guard link.column < cluster.slotCount else { return whenNull ? rows : RowMask() }
        let present = cluster.present(link.column, rows)
        var found = whenNull ? rows.subtracting(present) : RowMask()
        if present.isEmpty { return found }
        let word = cluster.chunk(link.column)
        let log2 = Int(word & 63)
        let values = Cluster.rows(word)
        var finder = RowFinder(content[link.target.index])
        present.visit { row in
            let key = UInt64(bitPattern: Cluster.int(values, row, log2: log2))
            if let place = finder.place(key) {
                if predicate.matches(place.cluster, place.row, content) { found.insert(row) }
            } else if whenNull {
                found.insert(row)
            }
            return true
        }
        return found
    }

    /// Returns the rows of `rows` whose linked row is in the set, and those without a linked row if
    /// `whenNull`.
    static func throughSet(
        _ link: LinkHop, _ set: RowSet, whenNull: Bool, _ cluster: Cluster, _ rows: RowMask
    ) -> RowMask {
        guard link.column < cluster.slotCount else { return whenNull ? rows : RowMask() }
        let present = cluster.present(link.column, rows)
        var found = whenNull ? rows.subtracting(present) : RowMask()
        if present.isEmpty { return found }
        let word = cluster.chunk(link.column)
        let log2 = Int(word & 63)
        let values = Cluster.rows(word)
        for place in 0..<wordsPerCluster {
            var bits = present.words[place]
            var matching: UInt64 = 0
            while bits != 0 {
                let bit = bits.trailingZeroBitCount
                let key = Cluster.int(values, 64 &* place &+ bit, log2: log2)
                if set.contains(UInt64(bitPattern: key)) { matching |= 1 &<< UInt64(bit) }
                bits &= bits &- 1
            }
            found.words[place] |= matching
        }
        return found
    }

    static func matchTextColumns(
        _ a: PathColumn, _ match: TextMatch, _ b: PathColumn, _ folding: TextFolding,
        _ cluster: Cluster, _ row: Int, _ content: DatabaseContent
    ) -> Bool {
        guard case .string(let pattern) = b.value(cluster, row, content) else { return false }
        let value = a.value(cluster, row, content)
        if value.isNull { return false }
        return TextPattern(match, pattern, ignoring: folding).matches(value)
    }
}
