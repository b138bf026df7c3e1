extension ResolvedColumn {
    /// Whether a row that wasn't touched reads the same value as it did in an older schema, which
    /// may have lacked the column.
    func readsUntouchedRows(as old: ResolvedColumn) -> Bool {
        index == old.index || fallback == old.fallback
    }
}

extension CompiledPredicate {
    /// Whether that is true of every column that the predicate reads. For plans that read no rows
    /// of other classes. A new case that reads a column must be added here: the compiler doesn't
    /// report it.
    func readsUntouchedRows(as old: CompiledPredicate) -> Bool {
        switch (self, old) {
        case (.compare(let a, _, _, _), .compare(let b, _, _, _)):
            a.readsUntouchedRows(as: b)
        case (.compareColumns(let a, _, let b), .compareColumns(let c, _, let d)):
            a.readsUntouchedRows(as: c) && b.readsUntouchedRows(as: d)
        case (.compareValues(let a, _, let b), .compareValues(let c, _, let d)),
            (.matchTextColumns(let a, _, let b, _), .matchTextColumns(let c, _, let d, _)):
            a.column.readsUntouchedRows(as: c.column) && b.column.readsUntouchedRows(as: d.column)
        case (.and(let a), .and(let b)), (.or(let a), .or(let b)):
            zip(a, b).allSatisfy { $0.readsUntouchedRows(as: $1) }
        case (.matchText(let a, _), .matchText(let b, _)), (.isIn(let a, _), .isIn(let b, _)),
            (.isKind(let a, _, _), .isKind(let b, _, _)):
            a.readsUntouchedRows(as: b)
        case (.compareNumbers(let a, _, let b), .compareNumbers(let c, _, let d)):
            a.readsUntouchedRows(as: c) && b.readsUntouchedRows(as: d)
        case (.matchWords(let a, _), .matchWords(let b, _)):
            a.readsUntouchedRows(as: b)
        case (.not(let a), .not(let b)):
            a.readsUntouchedRows(as: b)
        default: true
        }
    }
}
