internal import RegnumEngine
internal import RegnumStore

// Comparisons of a property with values.

extension PredicateBinder {
    func compare(
        _ place: PredicatePlace, _ kind: Comparison, _ constant: PredicateConstant,
        _ quantifier: Quantifier?, _ offset: Int
    ) throws(PredicateMistake) -> Predicate {
        switch place.kind {
        case .values(_, let storage), .entry(_, _, let storage):
            let (comparison, value) = try operand(place, kind, constant, storage, offset)
            let holdsForNil = comparison.holds(forNilAnd: value, type: storage.valueType)
            return try tested(place, quantifier, holdsForNil: holdsForNil, offset) {
                .compare($0, comparison, value)
            }
        case .nested:
            let (comparison, value) = try operand(
                place, kind, constant, _StorageType(.any), offset)
            let holdsForNil = comparison.holds(forNilAnd: value)
            return try tested(place, quantifier, holdsForNil: holdsForNil, offset) {
                .compare($0, comparison, value)
            }
        case .count(let outer, _, _), .aggregate(let outer, _, _, _, _):
            let (predicate, holdsForNil) = try compareNumber(place, kind, constant, offset)
            return try quantified(
                outer, quantifier, predicate, holdsForNil: holdsForNil, place, offset)
        case .objects, .entryObject:
            guard kind == .equal || kind == .notEqual else {
                throw refused(place, "is an object and has no ordering", offset)
            }
            return try isObject(
                in: [constant], place, quantifier, isNegated: kind == .notEqual, offset)
        case .map, .pendingAggregate:
            throw refused(place, "is a map: compare its @keys, its @values, or [\"key\"]", offset)
        case .byteCount, .incoming, .kind:
            throw refused(place, "can't be compared in this way", offset)
        }
    }

    /// Compares a count or aggregate of each row at the end of the first path. Returns also whether
    /// the condition holds if a list on that path doesn't have the element at a position.
    private func compareNumber(
        _ place: PredicatePlace, _ kind: Comparison, _ constant: PredicateConstant, _ offset: Int
    ) throws(PredicateMistake) -> (predicate: Predicate, holdsForNil: Bool) {
        switch place.kind {
        case .count(_, let inner, let predicate):
            let (comparison, value) = try operand(
                place, kind, constant, _StorageType(.int), offset)
            let holdsForNil = comparison.holds(forNilAnd: value)
            guard case .int(let number) = value else {
                return (.constant(comparison == .notEqual), holdsForNil)
            }
            return (.count(inner, predicate, comparison, number), holdsForNil)
        case .aggregate(_, let inner, let aggregate, let column, let storage):
            let (comparison, value) = try operand(place, kind, constant, storage, offset)
            let predicate = Predicate.aggregate(inner, aggregate, column, comparison, value)
            return (predicate, comparison.holds(forNilAnd: value))
        default: throw refused(place, "isn't a number", offset)
        }
    }

    /// Returns the condition that a link, the queried object, or an object of a collection is one
    /// of some objects, or `nil` if that is among them.
    private func isObject(
        in constants: [PredicateConstant], _ place: PredicatePlace, _ quantifier: Quantifier?,
        isNegated: Bool, _ offset: Int
    ) throws(PredicateMistake) -> Predicate {
        let rows = try self.rows(constants, place, offset)
        let includesNil = constants.contains { $0.isNull }
        func isHeld(_ links: [Hop]) -> Predicate {
            var predicate = Predicate.exists(links, .isRow(rows))
            if includesNil, let link = links.last {
                let column = ColumnReference(
                    name: link.name, type: .int, missing: .null, hops: Array(links.dropLast()))
                let isNil = Predicate.compare(column, .equal, .null)
                predicate = rows.isEmpty ? isNil : .or([isNil, predicate])
            }
            return isNegated ? predicate.negated : predicate
        }
        let holdsForNil = includesNil != isNegated
        if case .entryObject(let key, _, let links) = place.kind {
            let (outer, inner) = place.hops.splitBeforeLastCollection
            return try quantified(
                outer, quantifier, .entry(inner, key, isHeld(links), holdsForNil: holdsForNil),
                holdsForNil: holdsForNil, place, offset)
        }
        let (several, links) = place.hops.splitAtLastCollection
        if includesNil, links.isEmpty, several.last?.position == nil {
            throw refused(
                place,
                several.isEmpty
                    ? "is never nil" : "has no elements that are nil: compare its @count with 0",
                offset)
        }
        return try quantified(
            several, quantifier, isHeld(links), holdsForNil: holdsForNil, place, offset)
    }

    /// Returns the rows of the objects that exist.
    private func rows(
        _ constants: [PredicateConstant], _ place: PredicatePlace, _ offset: Int
    ) throws(PredicateMistake) -> [ObjectKey] {
        let schema: ClassSchema
        switch place.kind {
        case .objects(let found), .entryObject(_, let found, _): schema = found
        default: return []
        }
        var rows: [ObjectKey] = []
        for constant in constants {
            switch constant {
            case .null: break
            case .object(let object)
            where equalUTF8(ClassSchema.of(type(of: object)).name, schema.name):
                if let row = scope.row(of: object, of: type(of: object)) { rows.append(row) }
            case .frozen(let object) where equalUTF8(object.operandClass, schema.name):
                if let row = object.row(in: scope) { rows.append(row) }
            default:
                throw refused(
                    place,
                    "is \(schema.name.withArticle) and can't be compared with "
                        + constant.described, offset)
            }
        }
        return rows
    }

    func isIn(
        _ place: PredicatePlace, _ comparison: PredicateOperator,
        _ constants: [PredicateConstant], _ quantifier: Quantifier?, _ offset: Int
    ) throws(PredicateMistake) -> Predicate {
        try requireText(comparison, place, offset)
        switch place.kind {
        case .objects, .entryObject:
            return try isObject(in: constants, place, quantifier, isNegated: false, offset)
        case .count(let outer, _, _), .aggregate(let outer, _, _, _, _):
            var terms: [Predicate] = []
            for constant in constants {
                terms.append(try compareNumber(place, .equal, constant, offset).predicate)
            }
            if place.hasCondition { try requireFewTerms(.or(terms), place.name, offset) }
            return try quantified(
                outer, quantifier, .or(terms), holdsForNil: constants.contains { $0.isNull }, place,
                offset)
        default: break
        }
        guard let storage = place.storage else {
            throw refused(place, "is a map: compare its @keys, its @values, or [\"key\"]", offset)
        }
        var values: [Value] = []
        var texts: [StoredText] = []
        for constant in constants {
            if !comparison.ignored.isEmpty, let text = constant.text {
                texts.append(StoredText(text))
            } else {
                values.append(try operand(place, .equal, constant, storage, offset).value)
            }
        }
        return try tested(place, quantifier, holdsForNil: values.contains(.null), offset) {
            let isIn = Predicate.isIn($0, values)
            if texts.isEmpty { return isIn }
            var terms = values.isEmpty ? [] : [isIn]
            for text in texts {
                terms.append(.matchText($0, .equals, text, ignoring: comparison.ignored))
            }
            return .or(terms)
        }
    }

    func between(
        _ place: PredicatePlace, _ lower: PredicateConstant, _ upper: PredicateConstant,
        _ quantifier: Quantifier?, _ offset: Int
    ) throws(PredicateMistake) -> Predicate {
        switch place.kind {
        case .count(let outer, _, _), .aggregate(let outer, _, _, _, _):
            let least = try compareNumber(place, .greaterOrEqual, lower, offset)
            let greatest = try compareNumber(place, .lessOrEqual, upper, offset)
            let both = Predicate.and([least.predicate, greatest.predicate])
            if place.hasCondition { try requireFewTerms(both, place.name, offset) }
            return try quantified(
                outer, quantifier, both,
                holdsForNil: least.holdsForNil && greatest.holdsForNil, place, offset)
        default: break
        }
        guard let storage = place.storage else {
            return try compare(place, .greaterOrEqual, lower, quantifier, offset)  // throws
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
            throw refused(place, "isn't a string, as \(comparison.text) requires", offset)
        }
        let ignored = comparison.ignored
        let isMatch: (ColumnReference) -> Predicate
        if case .null = constant {
            isMatch = { _ in .constant(false) }
        } else if storage.valueType != .data, let text = constant.text {
            isMatch = { .matchText($0, match, StoredText(text), ignoring: ignored) }
        } else if storage.valueType != .string, match != .like, ignored.isEmpty,
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

    /// Searches for words in a property with a full-text index.
    func search(
        _ place: PredicatePlace, _ comparison: PredicateOperator, _ constant: PredicateConstant,
        _ quantifier: Quantifier?, _ offset: Int
    ) throws(PredicateMistake) -> Predicate {
        guard place.storage?.valueType == .string else {
            throw refused(place, "isn't a string, as \(comparison.text) requires", offset)
        }
        guard case .values(let column, _) = place.kind, column.isFullTextIndexed else {
            throw refused(place, "has no full-text index", offset)
        }
        guard let text = constant.text else {
            throw refused(place, "needs a string after \(comparison.text)", offset)
        }
        let holdsForNil: Bool
        do throws(StoreError) { holdsForNil = try Predicate.check(search: text) } catch {
            throw PredicateMistake(message: error.message, offset: comparison.offset)
        }
        return try tested(place, quantifier, holdsForNil: holdsForNil, offset) {
            .matchWords($0, StoredText(text))
        }
    }

    /// Returns a value as the type that it is compared with. For an integer compared with a
    /// fraction, returns the equivalent comparison with an integer.
    private func operand(
        _ place: PredicatePlace, _ comparison: Comparison, _ constant: PredicateConstant,
        _ storage: _StorageType, _ offset: Int
    ) throws(PredicateMistake) -> (comparison: Comparison, value: Value) {
        if constant.isObject, storage.isAny {
            let content: Value? =
                switch constant {
                case .object(let object as Object): scope.operand(AnyRealmValue.object(object))
                case .frozen(let object): object.operandContent(in: scope)
                default: nil
                }
            guard let content else {
                throw refused(place, "can't be compared with \(constant.described)", offset)
            }
            return (comparison, content)
        }
        try requireOrder(comparison, storage.valueType, place, offset)
        if storage.valueType == .int, let number = constant.place {
            if let operand = number.operand(comparison) { return operand }
        } else if let value = constant.stored(as: storage) {
            return (comparison, value)
        }
        throw refused(
            place,
            "is of type \(storage.swiftName) and can't be compared with \(constant.described)",
            offset)
    }
}

extension NumberPlace {
    /// Returns the comparison with an integer that is equivalent to one with the number; `nil` for
    /// `==` and `!=` with a number that no integer equals.
    fileprivate func operand(
        _ comparison: Comparison
    ) -> (comparison: Comparison, value: Value)? {
        let isUpper = comparison == .less || comparison == .lessOrEqual
        switch self {
        case .at(let integer): return (comparison, .int(integer))
        case _ where comparison == .equal || comparison == .notEqual: return nil
        case .after(let integer): return (isUpper ? .lessOrEqual : .greater, .int(integer))
        case .beforeAll: return (isUpper ? .less : .greaterOrEqual, .int(.min))
        }
    }
}

extension PredicatePlace {
    /// The type of the values at the place; `nil` for objects, maps, counts and aggregates.
    var storage: _StorageType? {
        switch kind {
        case .values(_, let storage), .entry(_, _, let storage): storage
        case .nested: _StorageType(.any)
        default: nil
        }
    }
}

extension AnyPath {
    /// Whether the path leads to several values.
    var leadsToSeveral: Bool {
        let owners = key == nil ? hops : hops.splitBeforeLastCollection.outer
        return hasAllStep || owners.contains { !$0.isSingle }
    }
}
