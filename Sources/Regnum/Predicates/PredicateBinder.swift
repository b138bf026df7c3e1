internal import RegnumEngine
internal import RegnumStore

/// Looks up the names in a parsed predicate string, and builds the condition.
struct PredicateBinder {
    let scope: QueryScope
    let arguments: PredicateArguments
    /// The classes of a stored schema, for a query on a class that the program doesn't declare.
    let stored: StoredClasses?
    /// Looks up objects; `nil` if only the syntax is of interest.
    let objects: PredicateObjects?
    /// The starts of paths, innermost last.
    private(set) var roots: [PredicateRoot]

    init(
        _ schema: ClassSchema, _ scope: QueryScope, _ arguments: PredicateArguments,
        stored: StoredClasses? = nil, objects: PredicateObjects? = nil
    ) {
        self.scope = scope
        self.stored = stored
        self.objects = objects
        self.arguments = arguments
        let place = PredicatePlace(kind: .objects(schema), hops: [], name: schema.name)
        roots = [PredicateRoot(variable: nil, place: place)]
    }

    private init(_ outer: PredicateBinder, _ root: PredicateRoot, _ scope: QueryScope) {
        self.scope = scope
        arguments = outer.arguments
        stored = outer.stored
        objects = outer.objects
        roots = outer.roots + [root]
    }

    func condition(_ syntax: PredicateSyntax) throws(PredicateMistake) -> Predicate {
        switch syntax {
        case .constant(let value): return .constant(value)
        case .and(let terms): return .and(try conditions(terms))
        case .or(let terms): return .or(try conditions(terms))
        case .not(let term): return try condition(term).negated
        case .comparison(let left, let comparison, let right):
            return try self.comparison(left, comparison, right)
        }
    }

    private func conditions(
        _ terms: [PredicateSyntax]
    ) throws(PredicateMistake) -> [Predicate] {
        var conditions: [Predicate] = []
        for term in terms { conditions.append(try condition(term)) }
        return conditions
    }

    // MARK: Operands

    /// One side of a comparison.
    enum Side {
        case constant(PredicateConstant)
        case list([PredicateConstant])
        case place(PredicatePlace)
        /// The object of a class with a primary key.
        case keyed(ClassSchema, Value)
        case number(PredicateNumber)
    }

    func side(_ operand: PredicateOperand) throws(PredicateMistake) -> Side {
        switch operand.kind {
        case .literal(let constant): return .constant(constant)
        case .list(let operands):
            var constants: [PredicateConstant] = []
            for operand in operands {
                guard operand.quantifier == nil, case .constant(let constant) = try side(operand)
                else {
                    throw PredicateMistake(
                        message: "A list in braces can only contain values.",
                        offset: operand.offset)
                }
                constants.append(constant)
            }
            return .list(constants)
        case .argument(let argument):
            switch try arguments.values(argument, operand.offset) {
            case .one(let constant): return .constant(constant)
            case .several(let constants): return .list(constants)
            }
        case .shape(let shape): return .constant(.value(try self.shape(shape)))
        case .path(let path): return .place(try place(path))
        case .subquery(let path, let variable, let condition):
            return .place(try subquery(path, variable, condition))
        case .object(let className, let key):
            guard let schema = classSchema(named: className) else {
                throw PredicateMistake(
                    message: "There is no class \(className.shortened).", offset: operand.offset)
            }
            guard let index = schema.primaryKey, case .constant(let constant) = try side(key),
                case .scalar(let storage) = schema.properties[index].shape,
                let value = constant.stored(as: storage)
            else {
                throw PredicateMistake(
                    message: "\(className) has no primary key of this type.",
                    offset: operand.offset)
            }
            return .keyed(schema, value)
        case .calculation(let operation, let left, let right):
            return .number(.calculation(operation, try number(left), try number(right)))
        }
    }

    /// Returns an operand of a calculation.
    private func number(_ operand: PredicateOperand) throws(PredicateMistake) -> PredicateNumber {
        try side(operand).number(operand.offset)
    }

    private func subquery(
        _ path: PredicatePath, _ variable: String, _ syntax: PredicateSyntax
    ) throws(PredicateMistake) -> PredicatePlace {
        var place = try place(path)
        if case .nested(let contents) = place.kind {
            place.hops = contents.hopsToValues
            place.kind = .values(.element(_StorageType(.any)), _StorageType(.any))
        }
        let (several, links) = place.hops.splitAtLastCollection
        guard !several.isEmpty else {
            throw refused(place, "isn't a collection, as SUBQUERY requires", path.offset)
        }
        var element = place
        var inner: [Hop]
        let outer: [Hop]
        let scope: QueryScope
        switch place.kind {
        case .objects(let schema):
            (outer, inner) = several.splitBeforeLastCollection
            inner += links
            scope = QueryScope(inside: self.scope, rootName: schema.name)
        case .values(var column, let storage):
            (outer, inner) = several.splitBeforeLastCollection
            column.hops = links + column.hops
            element.kind = .values(column, storage)
            scope = QueryScope(inside: self.scope, rootName: several.last?.target)
        case .map:
            // each entry, with $x.@keys and $x.@values
            (outer, inner) = several.splitBeforeLastCollection
            scope = QueryScope(inside: self.scope, rootName: several.last?.target)
        default: throw refused(place, "can't be used in SUBQUERY", path.offset)
        }
        element.hops = []
        element.isCollection = false
        element.isList = false
        element.name = "$\(variable.shortened)"
        let binder = PredicateBinder(
            self, PredicateRoot(variable: variable, place: element), scope)
        place.kind = .count(outer: outer, inner: inner, try binder.condition(syntax))
        place.name = "SUBQUERY"
        return place
    }

    // MARK: Comparisons

    private func comparison(
        _ left: PredicateOperand, _ comparison: PredicateOperator, _ right: PredicateOperand
    ) throws(PredicateMistake) -> Predicate {
        let quantifier = left.quantifier ?? right.quantifier
        if left.quantifier != nil, right.quantifier != nil {
            throw PredicateMistake(
                message: "Only one side can have ANY, ALL or NONE.", offset: right.offset)
        }
        let (leftSide, rightSide) = (try side(left), try side(right))
        if leftSide.isCalculated(with: rightSide) {
            return try compareNumbers(
                leftSide, left, comparison, rightSide, right, quantifier)
        }
        if let predicate = try compareKind(leftSide, left, comparison, rightSide, right) {
            return predicate
        }
        switch (leftSide, rightSide) {
        case (.place(let place), .place(let other)):
            return try compare(place, other, comparison, quantifier, left.offset)
        case (.place(let place), .constant(let constant)):
            return try test(place, comparison, constant, quantifier, left.offset)
        case (.place(let place), .list(let constants)):
            let isOfList = right.quantifier != nil
            return try test(
                place, comparison, constants, isOfList ? nil : quantifier,
                ofList: isOfList ? quantifier : nil, left.offset)
        case (.place(let place), .keyed(let schema, let key)):
            return try test(place, comparison, schema, key, quantifier, left.offset)
        case (.constant(let constant), .place(let place)):
            if case .isIn = comparison.kind {
                let equal = PredicateOperator(
                    kind: .compare(.equal), ignored: comparison.ignored,
                    text: comparison.text, offset: comparison.offset)
                return try test(place, equal, constant, quantifier, right.offset)
            }
            return try test(
                place, try comparison.mirrored, constant, quantifier, right.offset)
        case (.list(let constants), .place(let place)):
            let isOfList = left.quantifier != nil
            return try test(
                place, try comparison.mirrored, constants, isOfList ? nil : quantifier,
                ofList: isOfList ? quantifier : nil, right.offset)
        case (.keyed(let schema, let key), .place(let place)):
            return try test(
                place, try comparison.mirrored, schema, key, quantifier, right.offset)
        default:
            throw PredicateMistake(
                message: "Can't compare two values: one side must be a property.",
                offset: left.offset)
        }
    }

    private func compareNumbers(
        _ leftSide: Side, _ left: PredicateOperand, _ comparison: PredicateOperator,
        _ rightSide: Side, _ right: PredicateOperand, _ quantifier: Quantifier?
    ) throws(PredicateMistake) -> Predicate {
        let numbers: [PredicateNumber]
        var isList = false
        if case .list(let constants) = rightSide, right.quantifier == nil {
            numbers = constants.map { .constant($0, offset: right.offset) }
            isList = true
        } else {
            numbers = [try rightSide.number(right.offset)]
        }
        return try compareNumbers(
            try leftSide.number(left.offset), comparison, numbers, isList: isList, quantifier,
            left.offset)
    }

    /// Compares two properties.
    private func compare(
        _ left: PredicatePlace, _ right: PredicatePlace, _ comparison: PredicateOperator,
        _ quantifier: Quantifier?, _ offset: Int
    ) throws(PredicateMistake) -> Predicate {
        if comparison.kind == .geoWithin { throw PredicateBinder.needsShape(left, offset) }
        guard let (hops, a) = column(left), let (others, b) = column(right) else {
            throw refused(left, "can't be compared with \(right.name), only with a value", offset)
        }
        guard hops == others else {
            throw refused(
                left,
                "can't be compared with \(right.name), which belongs to other objects: use "
                    + "SUBQUERY", offset)
        }
        switch (left.kind, right.kind) {
        case (.objects(let schema), .objects(let other)) where schema === other:
            guard comparison.kind == .compare(.equal) || comparison.kind == .compare(.notEqual)
            else { throw refused(left, "is an object and has no ordering", offset) }
        case (.values, .values) where a.type == b.type: break
        default:
            throw refused(left, "is of a different type than \(right.name)", offset)
        }
        if a.type != .string, comparison.isTextOnly {
            throw refused(left, "isn't a string, as \(comparison.text) requires", offset)
        }
        let predicate: Predicate
        var holdsForNil = false
        switch comparison.kind {
        case .compare(.equal) where !comparison.ignored.isEmpty:
            predicate = .areEqual(a, b, ignoring: comparison.ignored)
            holdsForNil = true
        case .compare(.notEqual) where !comparison.ignored.isEmpty:
            predicate = .not(.areEqual(a, b, ignoring: comparison.ignored))
        case .compare(let kind):
            try requireOrder(kind, a.type, left, offset)
            predicate = .compareColumns(a, kind, b)
            holdsForNil = kind.holds(forNilAnd: .null)
        case .match(let match):
            predicate = .matchTextColumns(a, match, b, ignoring: comparison.ignored)
        case .search:
            throw refused(left, "needs a string after \(comparison.text)", offset)
        case .isIn, .between, .geoWithin:
            throw refused(left, "needs a list of values after \(comparison.text)", offset)
        }
        return try quantified(
            hops, quantifier, predicate, holdsForNil: holdsForNil, left, offset)
    }

    /// Tests a property against a value.
    func test(
        _ place: PredicatePlace, _ comparison: PredicateOperator, _ constant: PredicateConstant,
        _ quantifier: Quantifier?, _ offset: Int
    ) throws(PredicateMistake) -> Predicate {
        switch comparison.kind {
        case .compare(let kind):
            try requireText(comparison, place, offset)
            if !comparison.ignored.isEmpty, constant.text != nil {
                return try match(
                    place, .equals, comparison, constant, quantifier, offset,
                    isNegated: kind == .notEqual)
            }
            return try compare(place, kind, constant, quantifier, offset)
        case .match(let match):
            return try self.match(place, match, comparison, constant, quantifier, offset)
        case .geoWithin:
            guard let shape = constant.shape else {
                throw PredicateBinder.needsShape(place, offset)
            }
            return try isWithin(shape, place, quantifier, offset)
        case .search:
            return try search(place, comparison, constant, quantifier, offset)
        case .isIn, .between:
            if case .isIn = comparison.kind, let shape = constant.shape {
                return try isWithin(shape, place, quantifier, offset)
            }
            throw refused(
                place, "needs a list of values after \(comparison.text), such as {1, 2}", offset)
        }
    }

    /// Tests a property against several values.
    private func test(
        _ place: PredicatePlace, _ comparison: PredicateOperator,
        _ constants: [PredicateConstant], _ quantifier: Quantifier?, ofList: Quantifier?,
        _ offset: Int
    ) throws(PredicateMistake) -> Predicate {
        switch comparison.kind {
        case .isIn, .between:
            if ofList != nil {
                throw refused(
                    place, "needs a list without ANY, ALL or NONE after \(comparison.text)", offset)
            }
            if case .isIn = comparison.kind {
                return try isIn(place, comparison, constants, quantifier, offset)
            }
            guard constants.count == 2 else {
                throw refused(place, "needs two values after BETWEEN, such as {1, 2}", offset)
            }
            return try between(place, constants[0], constants[1], quantifier, offset)
        case .geoWithin: throw PredicateBinder.needsShape(place, offset)
        case .compare, .match, .search:
            guard let ofList else {
                throw refused(
                    place, "can't be compared with a list by \(comparison.text): use IN", offset)
            }
            var terms: [Predicate] = []
            for constant in constants {
                terms.append(try test(place, comparison, constant, quantifier, offset))
            }
            if place.hasCondition { try requireFewTerms(.or(terms), place.name, offset) }
            return switch ofList {
            case .any: .or(terms)
            case .all: .and(terms)
            case .none: .not(.or(terms))
            }
        }
    }
}

extension PredicateOperator {
    /// The operator with its sides exchanged.
    fileprivate var mirrored: PredicateOperator {
        get throws(PredicateMistake) {
            guard case .compare(let comparison) = kind else {
                throw PredicateMistake(
                    message: "The property must be on the left of \(text).", offset: offset)
            }
            return PredicateOperator(
                kind: .compare(comparison.mirrored), ignored: ignored, text: text, offset: offset)
        }
    }

    /// Whether the operator only compares strings.
    fileprivate var isTextOnly: Bool {
        switch kind {
        case .match, .search: true
        case .compare, .isIn, .between, .geoWithin: !ignored.isEmpty
        }
    }
}
