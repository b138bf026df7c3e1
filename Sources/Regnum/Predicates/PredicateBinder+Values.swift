internal import RegnumEngine

// Comparisons of a property with values.

extension PredicateBinder {
    func compare(
        _ place: PredicatePlace, _ kind: Comparison, _ constant: PredicateConstant,
        _ quantifier: Quantifier?, _ offset: Int
    ) throws(PredicateMistake) -> Predicate {
        switch place.kind {
        case .values(_, let storage):
            let (comparison, value) = try operand(place, kind, constant, storage, offset)
            return try tested(
                place, quantifier, holdsForNil: comparison.holds(forNilAnd: value), offset
            ) {
                .compare($0, comparison, value)
            }
        case .entry(let key, let column, let storage):
            let (comparison, value) = try operand(place, kind, constant, storage, offset)
            try requireAny(quantifier, place, offset)
            return .entry(place.hops, key, column, comparison, value)
        case .nested(let path):
            let (comparison, value) = try operand(
                place, kind, constant, _StorageType(.any), offset)
            if quantifier == nil || quantifier == .any { return .nested(path, comparison, value) }
            return try tested(place, quantifier, holdsForNil: false, offset) {
                .compare($0, comparison, value)
            }
        case .count(let outer, let inner, let predicate):
            let (comparison, value) = try operand(
                place, kind, constant, _StorageType(.int), offset)
            guard case .int(let number) = value else {
                return .constant(comparison == .notEqual)
            }
            return try quantified(
                outer, quantifier, .count(inner, predicate, comparison, number), place, offset)
        case .aggregate(let outer, let inner, let aggregate, let column, let storage):
            let (comparison, value) = try operand(place, kind, constant, storage, offset)
            return try quantified(
                outer, quantifier, .aggregate(inner, aggregate, column, comparison, value), place,
                offset)
        case .objects, .entryObject:
            return try compareObject(place, kind, constant, quantifier, offset)
        case .map, .pendingAggregate:
            throw refused(place, "is a map: compare its @keys, its @values, or [\"key\"]", offset)
        }
    }

    /// Compares a link, the objects of a collection, or the queried object itself.
    private func compareObject(
        _ place: PredicatePlace, _ kind: Comparison, _ constant: PredicateConstant,
        _ quantifier: Quantifier?, _ offset: Int
    ) throws(PredicateMistake) -> Predicate {
        guard kind == .equal || kind == .notEqual else {
            throw refused(place, "is an object and has no order", offset)
        }
        if case .null = constant {
            guard !place.isCollection, case .objects = place.kind,
                let (hops, column) = column(place)
            else { throw refused(place, "can't be nil: compare its @count with 0", offset) }
            return try quantified(
                hops, quantifier, .compare(column, kind, .null), place, offset)
        }
        let rows = try self.rows([constant], place, offset)
        return try isObject(
            in: rows, place, quantifier, isNegated: kind == .notEqual, offset)
    }

    /// - Parameter rows: The rows of the objects that exist.
    private func isObject(
        in rows: [ObjectKey], _ place: PredicatePlace, _ quantifier: Quantifier?, isNegated: Bool,
        _ offset: Int
    ) throws(PredicateMistake) -> Predicate {
        guard case .objects = place.kind else {
            throw refused(place, "can't be compared with an object: use @values", offset)
        }
        let (several, links) = place.hops.splitAtLastCollection
        let isRow = Predicate.exists(links, .isRow(rows))
        return try quantified(
            several, quantifier, isNegated ? isRow.negated : isRow, place, offset)
    }

    private func rows(
        _ constants: [PredicateConstant], _ place: PredicatePlace, _ offset: Int
    ) throws(PredicateMistake) -> [ObjectKey] {
        guard case .objects(let schema) = place.kind else { return [] }
        var rows: [ObjectKey] = []
        for constant in constants {
            switch constant {
            case .object(let object):
                if let row = scope.row(of: object, of: schema.type) { rows.append(row) }
            case .frozen(let object):
                if object.schema === schema, let row = object.row(in: scope) { rows.append(row) }
            default:
                throw refused(
                    place, "is an object and can't be compared with \(constant.described)", offset)
            }
        }
        return rows
    }

    func isIn(
        _ place: PredicatePlace, _ comparison: PredicateOperator,
        _ constants: [PredicateConstant], _ quantifier: Quantifier?, _ offset: Int
    ) throws(PredicateMistake) -> Predicate {
        if case .objects = place.kind {
            let rows = try self.rows(constants, place, offset)
            return try isObject(in: rows, place, quantifier, isNegated: false, offset)
        }
        let equal = PredicateOperator(
            kind: .compare(.equal), ignoresCase: comparison.ignoresCase, text: comparison.text,
            offset: comparison.offset)
        guard let storage = place.storage, !comparison.ignoresCase else {
            var terms: [Predicate] = []
            for constant in constants {
                terms.append(try test(place, equal, constant, quantifier, offset))
            }
            return .or(terms)
        }
        var values: [Value] = []
        for constant in constants {
            values.append(try operand(place, .equal, constant, storage, offset).value)
        }
        return try tested(place, quantifier, holdsForNil: values.contains(.null), offset) {
            .isIn($0, values)
        }
    }

    func between(
        _ place: PredicatePlace, _ lower: PredicateConstant, _ upper: PredicateConstant,
        _ quantifier: Quantifier?, _ offset: Int
    ) throws(PredicateMistake) -> Predicate {
        guard let storage = place.storage else {
            return .and([
                try compare(place, .greaterOrEqual, lower, quantifier, offset),
                try compare(place, .lessOrEqual, upper, quantifier, offset),
            ])
        }
        let (least, lowest) = try operand(place, .greaterOrEqual, lower, storage, offset)
        let (greatest, highest) = try operand(place, .lessOrEqual, upper, storage, offset)
        if lowest.isNull || highest.isNull {
            throw refused(place, "can't be between nil and a value", offset)
        }
        return try tested(place, quantifier, holdsForNil: false, offset) {
            .and([.compare($0, least, lowest), .compare($0, greatest, highest)])
        }
    }

    func match(
        _ place: PredicatePlace, _ match: TextMatch, _ comparison: PredicateOperator,
        _ constant: PredicateConstant, _ quantifier: Quantifier?, _ offset: Int,
        isNegated: Bool = false
    ) throws(PredicateMistake) -> Predicate {
        guard let storage = place.storage, [.string, .data, .any].contains(storage.valueType) else {
            throw refused(place, "is no string, as \(comparison.text) requires", offset)
        }
        let ignoresCase = comparison.ignoresCase
        let isMatch: (ColumnReference) -> Predicate
        if case .null = constant {
            isMatch = { _ in .constant(false) }
        } else if storage.valueType != .data, let text = constant.text {
            isMatch = { .matchText($0, match, StoredText(text), caseInsensitive: ignoresCase) }
        } else if storage.valueType != .string, match != .like, !ignoresCase,
            let bytes = constant.data ?? constant.text.map({ Array($0.utf8) })
        {
            isMatch = { .matchData($0, match, bytes) }
        } else {
            throw refused(
                place,
                "is of type \(storage.swiftName): \(comparison.text) can't be used with "
                    + constant.described, offset)
        }
        return try tested(place, quantifier, holdsForNil: isNegated, offset) {
            isNegated ? .not(isMatch($0)) : isMatch($0)
        }
    }

    /// Returns a value as the type that it is compared with. For an integer compared with a
    /// fraction, returns the equivalent comparison with an integer.
    private func operand(
        _ place: PredicatePlace, _ comparison: Comparison, _ constant: PredicateConstant,
        _ storage: _StorageType, _ offset: Int
    ) throws(PredicateMistake) -> (comparison: Comparison, value: Value) {
        if constant.isObject, storage.isAny {
            guard case .object(let object as Object) = constant else {
                throw refused(place, "can't be compared with \(constant.described)", offset)
            }
            return (comparison, scope.operand(AnyRealmValue.object(object)))
        }
        if let value = constant.stored(as: storage) { return (comparison, value) }
        if storage.valueType == .int, let fraction = constant.fraction {
            switch comparison {
            case .less, .lessOrEqual:
                return (.lessOrEqual, .int(Int64(clampingDown: fraction)))
            case .greater, .greaterOrEqual:
                let next = (-fraction).rounded(.down)
                if next < -0x1p63 { return (.greater, .int(.max)) }
                return (.greaterOrEqual, .int(Int64(clamping: -next)))
            case .equal, .notEqual: break
            }
        }
        throw refused(
            place,
            "is of type \(storage.swiftName) and can't be compared with \(constant.described)",
            offset)
    }
}

extension PredicatePlace {
    /// The type of the values at the place; `nil` for objects, maps, counts and aggregates.
    fileprivate var storage: _StorageType? {
        switch kind {
        case .values(_, let storage), .entry(_, _, let storage): storage
        case .nested: _StorageType(.any)
        default: nil
        }
    }
}

extension Comparison {
    /// Whether a missing value compares to a value in this way.
    fileprivate func holds(forNilAnd value: Value) -> Bool {
        switch self {
        case .equal, .lessOrEqual, .greaterOrEqual: value.isNull
        case .notEqual: !value.isNull
        case .less, .greater: false
        }
    }
}

extension Int64 {
    /// The nearest integer.
    fileprivate init(clamping number: Double) {
        self = number >= 0x1p63 ? .max : number <= -0x1p63 ? .min : Int64(number)
    }

    /// The greatest integer that isn't greater.
    fileprivate init(clampingDown number: Double) {
        self.init(clamping: number.rounded(.down))
    }
}
