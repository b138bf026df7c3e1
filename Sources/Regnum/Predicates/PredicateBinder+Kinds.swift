internal import RegnumEngine

// Comparisons of the kind of a value of any type.

extension PredicateBinder {
    /// Compares the kind of a value with names of types. Returns `nil` if neither side is a kind.
    func compareKind(
        _ leftSide: Side, _ left: PredicateOperand, _ comparison: PredicateOperator,
        _ rightSide: Side, _ right: PredicateOperand
    ) throws(PredicateMistake) -> Predicate? {
        let (named, operand, other, otherOperand): (Side, PredicateOperand, Side, PredicateOperand)
        if leftSide.isKind {
            (named, operand, other, otherOperand) = (leftSide, left, rightSide, right)
        } else if rightSide.isKind {
            (named, operand, other, otherOperand) = (rightSide, right, leftSide, left)
        } else {
            return nil
        }
        guard case .place(var place) = named, case .kind(let kind) = place.kind else { return nil }
        let names: [PredicateConstant]
        var quantifier = operand.quantifier
        switch other {
        case .constant(let constant):
            names = [constant]
            quantifier = quantifier ?? otherOperand.quantifier
        case .list(let constants) where otherOperand.quantifier ?? .any == .any: names = constants
        default: throw refused(place, "can only be compared with type names", operand.offset)
        }
        let isNegated: Bool
        switch comparison.kind {
        case .compare(.equal), .isIn: isNegated = false
        case .compare(.notEqual) where otherOperand.quantifier == nil: isNegated = true
        case .compare(.notEqual):
            throw refused(place, "can't be compared with ANY type by !=", comparison.offset)
        default:
            throw refused(place, "can only be compared by ==, != and IN", comparison.offset)
        }
        var kinds: Set<AnyKind> = []
        var orNull = false
        for name in names {
            guard let type = name.typeName else {
                throw PredicateMistake(
                    message: "\(name.described) isn't the name of a type, such as \"string\".",
                    offset: otherOperand.offset)
            }
            kinds.formUnion(type.kinds)
            orNull = orNull || type.isNull
        }
        place.kind = kind
        return try tested(place, quantifier, holdsForNil: orNull != isNegated, operand.offset) {
            let isKind = Predicate.isKind($0, kinds, orNull: orNull)
            return isNegated ? .not(isKind) : isKind
        }
    }
}

extension PredicateBinder.Side {
    fileprivate var isKind: Bool {
        if case .place(let place) = self, case .kind = place.kind { true } else { false }
    }
}

extension PredicateConstant {
    /// The kinds of values that the constant names; `nil` for other constants.
    fileprivate var typeName: (kinds: Set<AnyKind>, isNull: Bool)? {
        if isNull { return ([], true) }
        switch text?.lowercased() {
        case "null", "nil": return ([], true)
        case "int", "integer", "int16", "int32", "int64", "short", "long", "byte", "char":
            return ([.int], false)
        case "bool", "boolean": return ([.bool], false)
        case "string": return ([.string], false)
        case "binary", "data", "bytearray", "byte[]", "bindata": return ([.data], false)
        case "date", "timestamp", "datetimeoffset": return ([.date], false)
        case "float": return ([.float], false)
        case "double": return ([.double], false)
        case "decimal", "decimal128": return ([.decimal], false)
        case "objectid": return ([.objectId], false)
        case "uuid", "guid": return ([.uuid], false)
        case "link", "objectlink": return ([.link], false)
        case "numeric", "number": return ([.int, .float, .double, .decimal], false)
        case "object", "dictionary": return ([.dictionary], false)
        case "array", "list": return ([.list], false)
        case "collection": return ([.list, .dictionary], false)
        default: return nil
        }
    }
}
