import CRegnum
import RegnumStore

extension CompiledPredicate {
    /// Up to this many rows are evaluated one by one.
    static let maximumRowByRowCount = 6

    /// Returns the rows of `rows` that match. `rows` contains none at or after the cluster's
    /// `rowCount`.
    ///
    /// Kernels process whole chunks and their result is masked; they don't load values at or after
    /// `rowCount`.
    func matches(_ cluster: Cluster, _ rows: RowMask, _ content: DatabaseContent) -> RowMask {
        switch self {
        case .and(let terms):
            var rest = rows
            for term in terms {
                rest = term.matches(cluster, rest, content)
                if rest.isEmpty { break }
            }
            return rest
        case .or(let terms):
            var found = RowMask()
            var rest = rows
            for term in terms {
                let more = term.matches(cluster, rest, content)
                found = found | more
                rest = rest.subtracting(more)
                if rest.isEmpty { break }
            }
            return found
        case .not(let term):
            return rows.subtracting(term.matches(cluster, rows, content))
        default:
            return matchesTerm(cluster, rows, content)
        }
    }

    /// Returns the rows that match anything but an operator. Separate, because it needs much more
    /// stack.
    @inline(never)
    private func matchesTerm(
        _ cluster: Cluster, _ rows: RowMask, _ content: DatabaseContent
    ) -> RowMask {
        switch self {
        case .constant(let answer):
            return answer ? rows : RowMask()
        case .compare(let column, let comparison, let value, let type):
            return column.compare(cluster, rows, comparison, value, type)
        case .compareColumns(let a, let comparison, let b):
            return a.compare(cluster, rows, comparison, b)
        case .matchText(let column, let pattern):
            return column.match(cluster, rows, pattern)
        case .matchWords(let column, let search):
            return rows.filter { column.matches(cluster, $0, search) }
        case .isIn(let column, let set):
            return column.find(cluster, rows, set)
        case .through(let link, let term, let whenNull):
            return CompiledPredicate.through(
                link, term, whenNull: whenNull, cluster, rows, content)
        case .throughSet(let link, let set, let whenNull):
            return CompiledPredicate.throughSet(link, set, whenNull: whenNull, cluster, rows)
        case .inSet(let set):
            return set.mask(cluster) & rows
        case .isRow(let keys):
            return cluster.rows(of: keys, rows)
        case .within(let layout, let area):
            return layout.rows(within: area, cluster, rows, content)
        case .compareValues, .matchTextColumns, .compareNumbers, .isKind, .related, .count,
            .aggregate:
            return rows.filter { matches(cluster, $0, content) }
        case .and, .or, .not:
            preconditionFailure("an operator must be evaluated through its terms")
        }
    }

    /// Returns whether one row below `rowCount` matches, by the same rules.
    func matches(_ cluster: Cluster, _ row: Int, _ content: DatabaseContent) -> Bool {
        switch self {
        case .and(let terms):
            for term in terms where !term.matches(cluster, row, content) { return false }
            return true
        case .or(let terms):
            for term in terms where term.matches(cluster, row, content) { return true }
            return false
        case .not(let term):
            return !term.matches(cluster, row, content)
        default:
            return matchesTerm(cluster, row, content)
        }
    }

    /// Returns whether a row matches anything but an operator.
    @inline(never)
    private func matchesTerm(_ cluster: Cluster, _ row: Int, _ content: DatabaseContent) -> Bool {
        switch self {
        case .constant(let answer):
            return answer
        case .compare(let column, let comparison, let value, let type):
            return column.compare(cluster, row, comparison, value, type)
        case .compareColumns(let a, let comparison, let b):
            return comparison.holds(a.value(cluster, row), b.value(cluster, row))
        case .matchText(let column, let pattern):
            return column.matches(cluster, row, pattern)
        case .matchWords(let column, let search):
            return column.matches(cluster, row, search)
        case .isIn(let column, let set):
            return set.contains(column.value(cluster, row))
        case .through(let link, let term, let whenNull):
            guard let place = link.follow(cluster, row, content) else { return whenNull }
            return term.matches(place.cluster, place.row, content)
        case .throughSet(let link, let set, let whenNull):
            guard link.column < cluster.slotCount, !cluster.isNull(row, link.column) else {
                return whenNull
            }
            return set.contains(UInt64(bitPattern: cluster.int(row, link.column)))
        case .inSet(let set):
            return set.contains(cluster.firstKey + UInt64(row))
        case .isRow(let keys):
            return keys.contains(ascending: cluster.firstKey + UInt64(row))
        case .compareValues(let a, let comparison, let b):
            return comparison.holds(
                a.value(cluster, row, content), b.value(cluster, row, content))
        case .matchTextColumns(let a, let match, let b, let folding):
            return CompiledPredicate.matchTextColumns(
                a, match, b, folding, cluster, row, content)
        case .compareNumbers(let a, let comparison, let b):
            return comparison.holds(
                a.value(cluster, row, content), b.value(cluster, row, content))
        case .isKind(let column, let kinds, let orNull):
            guard case .any(let bytes) = column.value(cluster, row) else { return orNull }
            return bytes.first.flatMap { AnyKind(rawValue: $0) }.map { kinds.contains($0) }
                ?? false
        case .within(let layout, let area):
            return layout.isWithin(area, cluster, row, content)
        case .related(let path, let term):
            return CompiledPredicate.isRelated(path, term, cluster, row, content)
        case .count(let path, let term, let comparison, let number):
            return CompiledPredicate.compareCount(
                path, term, comparison, number, cluster, row, content)
        case .aggregate(let path, let aggregate):
            var fold = AggregateFold(aggregate)
            path.walk(cluster, row, content, &fold)
            return fold.holds
        case .and, .or, .not:
            preconditionFailure("an operator must be evaluated through its terms")
        }
    }

    /// Returns the rows of `rows` that match, using kernels or evaluating rows one by one,
    /// whichever is less work.
    func select(_ cluster: Cluster, _ rows: RowMask, _ content: DatabaseContent) -> RowMask {
        rows.count <= CompiledPredicate.maximumRowByRowCount
            ? rows.filter { matches(cluster, $0, content) } : matches(cluster, rows, content)
    }
}

extension Cluster {
    /// Returns the rows of `rows` whose keys are among some ascending keys.
    fileprivate func rows(of keys: [UInt64], _ rows: RowMask) -> RowMask {
        var found = RowMask()
        for key in keys[keys.firstIndex(from: firstKey)...] {
            if Table.base(key) != firstKey { break }
            found.insert(Table.row(key))
        }
        return found & rows
    }
}

/// Ascending keys.
extension [UInt64] {
    /// The index of the first key that is at least `key`.
    ///
    /// - Complexity: O(log n)
    fileprivate func firstIndex(from key: UInt64) -> Int {
        withUnsafeBufferPointer { keys in
            keys.baseAddress.map { cregnum_words_below($0, keys.count, key) } ?? 0
        }
    }

    fileprivate func contains(ascending key: UInt64) -> Bool {
        let index = firstIndex(from: key)
        return index < count && self[index] == key
    }
}

extension ResolvedColumn {
    // MARK: One row

    func compare(
        _ cluster: Cluster, _ row: Int, _ comparison: Comparison, _ value: Value, _ type: ValueType
    ) -> Bool {
        // Equality is decided on the bytes, without making a Swift string.
        if case .string(let text) = value, let stored, stored.type == .string,
            index < cluster.slotCount, comparison == .equal || comparison == .notEqual
        {
            if cluster.isNull(row, index) { return comparison == .notEqual }
            let isEqual = withUTF8(text) { wanted in
                let bytes = cluster.bytes(row, index)
                return bytes.count == wanted.count && bytes.elementsEqual(wanted)
            }
            return isEqual == (comparison == .equal)
        }
        return comparison.holds(self.value(cluster, row), constant: value, type: type)
    }

    func matches(_ cluster: Cluster, _ row: Int, _ pattern: TextPattern) -> Bool {
        if isStored(in: cluster), type == .string || type == .data {
            return !cluster.isNull(row, index) && pattern.matches(cluster.bytes(row, index))
        }
        return pattern.matches(value(cluster, row))
    }

    // MARK: All rows of a cluster

    func compare(
        _ cluster: Cluster, _ rows: RowMask, _ comparison: Comparison, _ value: Value,
        _ type: ValueType
    ) -> RowMask {
        guard isStored(in: cluster) else {
            return comparison.holds(fallback, constant: value, type: type) ? rows : RowMask()
        }
        let present = cluster.present(index, rows)
        let nulls = rows.subtracting(present)
        var found = RowMask()
        if !nulls.isEmpty, comparison.holds(.null, constant: value, type: type) { found = nulls }
        if present.isEmpty { return found }
        if value.isNull {
            return comparison.holdsForValuesAgainstNull(type) ? found | present : found
        }
        return found | comparePresent(cluster, present, comparison, value)
    }

    /// Compares non-null rows with a non-null constant.
    private func comparePresent(
        _ cluster: Cluster, _ rows: RowMask, _ comparison: Comparison, _ value: Value
    ) -> RowMask {
        switch (type, value) {
        case (.int, .int(let x)):
            return compareInts(cluster, rows, comparison, x)
        case (.int, .double(let x)):
            switch comparison.asIntegers(x) {
            case .no: return RowMask()
            case .every: return rows
            case .compare(let comparison, let bound):
                return compareInts(cluster, rows, comparison, bound)
            }
        case (.double, .double(let x)), (.date, .date(let x)):
            return compareDoubles(cluster, rows, comparison, x)
        case (.double, .int(let x)):
            switch comparison.asDoubles(x) {
            case .no: return RowMask()
            case .every: return rows
            case .compare(let comparison, let bound):
                return compareDoubles(cluster, rows, comparison, bound)
            }
        case (.bool, .bool(let x)):
            var mask = RowMask()
            mask.withWords {
                cregnum_compare_ints(
                    cluster.rows(index), cluster.rowCount, 0, comparison.kernel, x ? 1 : 0, $0)
            }
            return mask & rows
        case (.string, .string(let x)):
            return withUTF8(x) { compareText(cluster, rows, comparison, $0) }
        case (.data, .data(let x)):
            return x.withUnsafeBytes { compareText(cluster, rows, comparison, $0) }
        case (.uuid, .uuid(let x)):
            return compareIdentities(cluster, rows, comparison, x.high, x.low)
        case (.objectId, .objectId(let x)):
            return compareIdentities(cluster, rows, comparison, x.high, UInt64(x.low))
        default:
            return rows.filter { comparison.holds(self.value(cluster, $0), value) }
        }
    }

    private func compareInts(
        _ cluster: Cluster, _ rows: RowMask, _ comparison: Comparison, _ x: Int64
    ) -> RowMask {
        let slot = cluster.slot(index)
        if slot.flags.contains(.bounds) {
            switch comparison.answer(slot.load(0) as Int64, slot.load(8) as Int64, x) {
            case .no: return RowMask()
            case .every: return rows
            case nil: break
            }
        }
        let word = cluster.chunk(index)
        var mask = RowMask()
        mask.withWords {
            cregnum_compare_ints(
                Cluster.rows(word), cluster.rowCount, Int32(truncatingIfNeeded: word & 63),
                comparison.kernel, x, $0)
        }
        return mask & rows
    }

    private func compareDoubles(
        _ cluster: Cluster, _ rows: RowMask, _ comparison: Comparison, _ x: Double
    ) -> RowMask {
        if x.isNaN { return comparison == .notEqual ? rows : RowMask() }
        let slot = cluster.slot(index)
        if slot.flags.contains(.bounds) {
            let answer = comparison.answer(slot.load(0) as Double, slot.load(8) as Double, x)
            let mayHaveNaN = slot.flags.contains(.mayHaveNaN)
            switch answer {
            case .no where !mayHaveNaN || comparison != .notEqual: return RowMask()
            case .every where !mayHaveNaN || comparison == .notEqual: return rows
            default: break
            }
        }
        var mask = RowMask()
        mask.withWords {
            cregnum_compare_doubles(
                cluster.rows(index), cluster.rowCount, comparison.kernel, x, $0)
        }
        return mask & rows
    }

    private func compareIdentities(
        _ cluster: Cluster, _ rows: RowMask, _ comparison: Comparison, _ high: UInt64, _ low: UInt64
    ) -> RowMask {
        // Equality has the faster kernel.
        if comparison == .notEqual {
            return rows.subtracting(compareIdentities(cluster, rows, .equal, high, low))
        }
        var mask = RowMask()
        mask.withWords {
            cregnum_compare_identities(
                cluster.rows(index), cluster.rowCount, comparison.kernel, high, low, $0)
        }
        return mask & rows
    }

    func compare(
        _ cluster: Cluster, _ rows: RowMask, _ comparison: Comparison, _ other: ResolvedColumn
    ) -> RowMask {
        let areDoubles = type == other.type && (type == .double || type == .date)
        if areDoubles, isStored(in: cluster), other.isStored(in: cluster) {
            let present = cluster.present(other.index, cluster.present(index, rows))
            var mask = RowMask()
            mask.withWords {
                cregnum_compare_double_columns(
                    cluster.rows(index), cluster.rows(other.index), cluster.rowCount,
                    comparison.kernel, $0)
            }
            let rest = rows.subtracting(present).filter {
                comparison.holds(value(cluster, $0), other.value(cluster, $0))
            }
            return mask & present | rest
        }
        return rows.filter { comparison.holds(value(cluster, $0), other.value(cluster, $0)) }
    }

    func find(_ cluster: Cluster, _ rows: RowMask, _ set: ValueSet) -> RowMask {
        guard isStored(in: cluster) else { return set.contains(fallback) ? rows : RowMask() }
        guard set.values.count <= ValueSet.maximumComparedCount else {
            return rows.filter { set.contains(value(cluster, $0)) }
        }
        var found = RowMask()
        for value in set.values { found = found | compare(cluster, rows, .equal, value, type) }
        return found
    }
}
