internal import RegnumEngine

/// A predicate string as parsed, before names are looked up. Offsets are those of bytes in the
/// string, for messages.
indirect enum PredicateSyntax {
    case constant(Bool)
    case and([PredicateSyntax])
    case or([PredicateSyntax])
    case not(PredicateSyntax)
    case comparison(PredicateOperand, PredicateOperator, PredicateOperand)
}

/// An operator between two operands.
struct PredicateOperator {
    enum Kind: Equatable {
        case compare(Comparison)
        case match(TextMatch)
        /// `TEXT`
        case search
        case isIn
        case between
        case geoWithin
    }

    let kind: Kind
    /// `[c]`, `[d]` or `[cd]`.
    let ignored: TextFolding
    /// The operator as written.
    let text: String
    let offset: Int
}

/// One side of a comparison.
struct PredicateOperand {
    indirect enum Kind {
        case literal(PredicateConstant)
        case list([PredicateOperand])
        case argument(PredicateArgument)
        case path(PredicatePath)
        /// The number of elements of a collection that match a condition on the variable.
        case subquery(PredicatePath, variable: String, PredicateSyntax)
        case calculation(NumericOperation, PredicateOperand, PredicateOperand)
        /// `obj('Class', key)`
        case object(className: String, key: PredicateOperand)
        case shape(PredicateShape)
    }

    let kind: Kind
    /// `ANY`, `ALL` or `NONE` before the operand.
    let quantifier: Quantifier?
    let offset: Int
}

/// A value that the caller passes with the string.
enum PredicateArgument: Equatable {
    /// `$0`, or the nth `%@`.
    case position(Int)
    /// `$name`
    case name(String)
}

/// A shape such as `geoBox([1, 2], [3, 4])`.
struct PredicateShape {
    enum Kind {
        case box(Point, Point)
        case circle(Point, radius: PredicateOperand)
        case polygon([[Point]])
    }

    /// A longitude, a latitude, and an altitude if there is one.
    struct Point {
        let coordinates: [PredicateOperand]
        let offset: Int
    }

    let kind: Kind
    let offset: Int
}

/// A path to a property.
struct PredicatePath {
    struct Step {
        enum Kind {
            case name(String)
            /// `%K` or `$K0`: names separated by dots.
            case names(PredicateArgument)
            case position(Int)
            case first
            case last
            case all
            case key(String)
            /// `[$0]`: a key or a position.
            case subscripted(PredicateArgument)
            /// `@count` and others, in lowercase.
            case function(String)
        }

        let kind: Kind
        let offset: Int
    }

    /// The variable of the `SUBQUERY` that the path starts at; `nil` for the queried object.
    var variable: String?
    var steps: [Step]
    let offset: Int
}

/// A clause after the condition. Clauses are applied from left to right.
enum PredicateTail {
    case sort([(path: PredicatePath, ascending: Bool)])
    case distinct([PredicatePath])
    case limit(Int)
}

/// A parsed predicate string.
struct PredicateStatement {
    let condition: PredicateSyntax
    let tails: [(PredicateTail, offset: Int)]
    /// The number of values that the arguments require.
    let valueCount: Int
}
