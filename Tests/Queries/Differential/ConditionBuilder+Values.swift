import FoundationEssentials
import Regnum
import RegnumTestSupport

@testable import RegnumTestModels

/// Conditions on values, by the capabilities of their types.
extension ConditionBuilder {
    /// Returns a condition on a property of nodes.
    func scalar(_ node: Place<WorldNode>, _ leaf: PlainLeaf) -> Query<Bool> {
        let x = isIndexed
        switch leaf.property {
        case .int: return bounded(node(x ? \.intX : \.int), node(\.int2), leaf)
        case .int2: return bounded(node(\.int2), node(\.int2), leaf)
        case .optInt: return bounded(node(x ? \.optIntX : \.optInt), node(\.optInt2), leaf)
        case .optInt2: return bounded(node(\.optInt2), node(\.optInt2), leaf)
        case .tiny: return bounded(node(x ? \.tinyX : \.tiny), node(\.tiny), leaf)
        case .optMedium:
            return bounded(node(x ? \.optMediumX : \.optMedium), node(\.optMedium), leaf)
        case .long: return bounded(node(\.long), node(\.long), leaf)
        case .bool: return flag(node(x ? \.boolX : \.bool), node(\.bool), leaf)
        case .optBool: return flag(node(x ? \.optBoolX : \.optBool), node(\.optBool), leaf)
        case .double: return bounded(node(\.double), node(\.double2), leaf)
        case .double2: return bounded(node(\.double2), node(\.double2), leaf)
        case .optDouble: return bounded(node(\.optDouble), node(\.optDouble2), leaf)
        case .optDouble2: return bounded(node(\.optDouble2), node(\.optDouble2), leaf)
        case .float: return bounded(node(\.float), node(\.float), leaf)
        case .optFloat: return bounded(node(\.optFloat), node(\.optFloat), leaf)
        case .decimal: return bounded(node(\.decimal), node(\.decimal), leaf)
        case .optDecimal: return bounded(node(\.optDecimal), node(\.optDecimal), leaf)
        case .string: return text(node(x ? \.stringX : \.string), node(\.string2), leaf)
        case .string2: return text(node(\.string2), node(\.string2), leaf)
        case .optString:
            return text(node(x ? \.optStringX : \.optString), node(\.optString2), leaf)
        case .optString2: return text(node(\.optString2), node(\.optString2), leaf)
        case .data: return data(node(\.data), leaf)
        case .optData: return data(node(\.optData), leaf)
        case .date: return dates(node(x ? \.dateX : \.date), node(\.date), leaf)
        case .optDate: return dates(node(x ? \.optDateX : \.optDate), node(\.optDate), leaf)
        case .uuid: return ordered(node(x ? \.uuidX : \.uuid), node(\.uuid), leaf)
        case .optUuid: return ordered(node(x ? \.optUuidX : \.optUuid), node(\.optUuid), leaf)
        case .oid: return ordered(node(x ? \.oidX : \.oid), node(\.oid), leaf)
        case .optOid: return ordered(node(x ? \.optOidX : \.optOid), node(\.optOid), leaf)
        case .level: return ordered(node(x ? \.levelX : \.level), node(\.level), leaf)
        case .optLevel:
            return x
                ? bounded(node(\.optLevelX).rawValue, node(\.optLevel).rawValue, leaf)
                : ordered(node(\.optLevel), node(\.optLevel), leaf)
        case .kind: return ordered(node(x ? \.kindX : \.kind), node(\.kind), leaf)
        case .optKind:
            return x
                ? text(node(\.optKindX).rawValue, node(\.optKind).rawValue, leaf)
                : ordered(node(\.optKind), node(\.optKind), leaf)
        case .any: return any(node(x ? \.anyX : \.any), node(\.any), leaf)
        case .words: return text(node(\.words), node(\.words), leaf)
        case .intEntry:
            let entry = node(\.intMap)[PlainList.entryKey]
            return bounded(entry, entry, leaf)
        case .textEntry:
            let entry = node(\.textMap)[PlainList.entryKey]
            return text(entry, entry, leaf)
        case .anyEntry:
            let entry = node(\.anyMap)[PlainList.entryKey]
            return any(entry, entry, leaf)
        case .partInt, .partText, nil: fatalError("\(leaf) isn't about a property of nodes.")
        }
    }

    private func equality<V: WorldValue>(
        _ query: Query<V>, _ other: Query<V>, _ leaf: PlainLeaf
    ) -> Query<Bool> {
        switch leaf {
        case .compare(_, .equal, let value): query == .make(value)
        case .compare(_, .notEqual, let value): query != .make(value)
        case .compareProperties(_, .equal): query == other
        case .compareProperties(_, .notEqual): query != other
        case .isIn(_, let values): query.in(values.map { V.make($0) })
        default: fatalError("\(leaf) can't be applied to \(V.self).")
        }
    }

    func ordered<V: WorldValue>(
        _ query: Query<V>, _ other: Query<V>, _ leaf: PlainLeaf
    ) -> Query<Bool> where V._Basis: OrderedValue {
        switch leaf {
        case .compare(_, let comparison, let value): compare(query, comparison, .make(value))
        case .compareProperties(_, .less): query < other
        case .compareProperties(_, .lessOrEqual): query <= other
        case .compareProperties(_, .greater): query > other
        case .compareProperties(_, .greaterOrEqual): query >= other
        default: equality(query, other, leaf)
        }
    }

    private func dates<V: WorldValue & BoundedValue>(
        _ query: Query<V>, _ other: Query<V>, _ leaf: PlainLeaf
    ) -> Query<Bool>
    where
        V._Basis: OrderedValue, V.Required: WorldValue & Comparable,
        V.Required._Basis: OrderedValue
    {
        switch leaf {
        case .range(_, let lower, let upper, isClosed: true):
            query.contains(V.Required.make(lower)...V.Required.make(upper))
        case .range(_, let lower, let upper, isClosed: false):
            query.contains(V.Required.make(lower)..<V.Required.make(upper))
        case .memberAggregate(_, _, .min, let comparison, let value):
            compare(query.min, comparison, value.isNull ? nil : .make(value))
        case .memberAggregate(_, _, .max, let comparison, let value):
            compare(query.max, comparison, value.isNull ? nil : .make(value))
        default: ordered(query, other, leaf)
        }
    }

    func bounded<V: WorldValue & BoundedValue & SummableValue>(
        _ query: Query<V>, _ other: Query<V>, _ leaf: PlainLeaf
    ) -> Query<Bool>
    where
        V._Basis: OrderedValue, V.Required: WorldValue & Comparable,
        V.Required._Basis: OrderedValue, V.Total: WorldValue, V.Total._Basis: OrderedValue,
        V.Mean: WorldValue, V.Mean._Basis: OrderedValue
    {
        switch leaf {
        case .memberAggregate(_, _, .sum, let comparison, let value):
            compare(query.sum, comparison, .make(value))
        case .memberAggregate(_, _, .average, let comparison, let value):
            compare(query.avg, comparison, V.Mean?.make(value))
        default: dates(query, other, leaf)
        }
    }

    private func flag<V: WorldValue & QueryCondition>(
        _ query: Query<V>, _ other: Query<V>, _ leaf: PlainLeaf
    ) -> Query<Bool> {
        switch leaf {
        // A bare property is a condition.
        case .flag(_, true): query && query
        case .flag(_, false): !query
        default: equality(query, other, leaf)
        }
    }

    func text<V: WorldValue>(
        _ query: Query<V>, _ other: Query<V>, _ leaf: PlainLeaf
    ) -> Query<Bool> where V._Basis == String {
        switch leaf {
        case .text(_, let match, let value, let ignoresCase):
            let (text, options) = (value.text, ignoresCase ? StringOptions.caseInsensitive : [])
            switch match {
            case .contains: return query.contains(text, options: options)
            case .starts: return query.starts(with: text, options: options)
            case .ends: return query.ends(with: text, options: options)
            case .like: return query.like(text, caseInsensitive: ignoresCase)
            case .equals: return query.equals(text, options: options)
            case .notEquals: return query.notEquals(text, options: options)
            }
        case .textProperties(_, let match, let ignoresCase):
            let options = ignoresCase ? StringOptions.caseInsensitive : []
            switch match {
            case .contains: return query.contains(other, options: options)
            case .starts: return query.starts(with: other, options: options)
            case .ends: return query.ends(with: other, options: options)
            case .like: return query.like(other, caseInsensitive: ignoresCase)
            case .equals: return query.equals(other, options: options)
            case .notEquals: return query.notEquals(other, options: options)
            }
        case .search(let search): return query.matchesText(search.text)
        default: return ordered(query, other, leaf)
        }
    }

    private func data<V: WorldValue>(
        _ query: Query<V>, _ leaf: PlainLeaf
    ) -> Query<Bool> where V._Basis == Data {
        switch leaf {
        case .data(_, .contains, let bytes): query.contains(Data(bytes))
        case .data(_, .starts, let bytes): query.starts(with: Data(bytes))
        case .data(_, _, let bytes): query.ends(with: Data(bytes))
        default: equality(query, query, leaf)
        }
    }

    // MARK: Lists of values

    func values<C: QueryCollection>(_ query: Query<C>, _ leaf: PlainLeaf) -> Query<Bool>
    where C.Element: WorldValue, C.Element._Basis: OrderedValue {
        switch leaf {
        case .value(_, let comparison, let value):
            let value = C.Element.make(value)
            switch comparison {
            case .equal: return isIndexed ? query.contains(value) : query == value
            case .notEqual: return query != value
            case .less: return query < value
            case .lessOrEqual: return query <= value
            case .greater: return query > value
            case .greaterOrEqual: return query >= value
            }
        case .containsAnyValue(_, let values):
            return query.containsAny(in: values.map { C.Element.make($0) })
        case .valueCount(_, let comparison, let number):
            return compare(query.count, comparison, number)
        case .quantifiedValues(_, let quantifier, let comparison, let value):
            func condition(_ element: Query<C.Element>) -> Query<Bool> {
                compare(element, comparison, .make(value))
            }
            switch quantifier {
            case .any: return query.any(condition)
            case .all: return query.all(condition)
            case .none: return query.none(condition)
            }
        default: fatalError("\(leaf) can't be applied to \(C.self).")
        }
    }

    func boundedValues<C: QueryCollection>(_ query: Query<C>, _ leaf: PlainLeaf) -> Query<Bool>
    where
        C.Element: WorldValue & BoundedValue & SummableValue, C.Element._Basis: OrderedValue,
        C.Element.Required: WorldValue & Comparable, C.Element.Required._Basis: OrderedValue,
        C.Element.Total: WorldValue, C.Element.Total._Basis: OrderedValue,
        C.Element.Mean: WorldValue, C.Element.Mean._Basis: OrderedValue
    {
        typealias Required = C.Element.Required
        switch leaf {
        case .valuesInRange(_, let lower, let upper, isClosed: true):
            return query.contains(Required.make(lower)...Required.make(upper))
        case .valuesInRange(_, let lower, let upper, isClosed: false):
            return query.contains(Required.make(lower)..<Required.make(upper))
        case .valueAggregate(_, let kind, let comparison, let value):
            let bound: Required? = value.isNull ? nil : .make(value)
            switch kind {
            case .min: return compare(query.min, comparison, bound)
            case .max: return compare(query.max, comparison, bound)
            case .sum: return compare(query.sum, comparison, .make(value))
            case .average: return compare(query.avg, comparison, C.Element.Mean?.make(value))
            }
        default: return values(query, leaf)
        }
    }
}
