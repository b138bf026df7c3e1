import FoundationEssentials
import Regnum
import RegnumTestSupport

@testable import RegnumTestModels

/// Conditions on values of any type, and on maps.
extension ConditionBuilder {
    func any(
        _ query: Query<AnyRealmValue>, _ other: Query<AnyRealmValue>, _ leaf: PlainLeaf
    ) -> Query<Bool> {
        switch leaf {
        case .nested(_, let steps, let comparison, let value):
            let found = steps.reduce(query) { query, step in
                switch step {
                case .key(let key): query[key]
                case .position(let position): query[position]
                case .all: query.any
                }
            }
            return compare(found, comparison, .make(value))
        case .text(_, let match, let value, let ignoresCase):
            let text = value.text ?? ""
            let options = ignoresCase ? StringOptions.caseInsensitive : []
            switch match {
            case .contains: return query.contains(text, options: options)
            case .starts: return query.starts(with: text, options: options)
            case .ends: return query.ends(with: text, options: options)
            case .like: return query.like(text, caseInsensitive: ignoresCase)
            case .equals: return query.equals(text, options: options)
            case .notEquals: return query.notEquals(text, options: options)
            }
        case .data(_, .contains, let bytes): return query.contains(Data(bytes))
        case .data(_, .starts, let bytes): return query.starts(with: Data(bytes))
        case .data(_, _, let bytes): return query.ends(with: Data(bytes))
        case .memberAggregate(_, _, .min, let comparison, let value):
            return compare(query.min, comparison, value.isNull ? nil : .make(value))
        case .memberAggregate(_, _, .max, let comparison, let value):
            return compare(query.max, comparison, value.isNull ? nil : .make(value))
        default: return ordered(query, other, leaf)
        }
    }

    func anyValues<C: QueryCollection>(_ query: Query<C>, _ leaf: PlainLeaf) -> Query<Bool>
    where C.Element == AnyRealmValue {
        switch leaf {
        case .valueAggregate(_, .min, let comparison, let value):
            compare(query.min, comparison, value.isNull ? nil : .make(value))
        case .valueAggregate(_, .max, let comparison, let value):
            compare(query.max, comparison, value.isNull ? nil : .make(value))
        default: values(query, leaf)
        }
    }

    // MARK: Maps

    func entries<M: QueryMap>(_ query: Query<M>, _ leaf: PlainLeaf) -> Query<Bool>
    where M.Value: WorldValue, M.Value._Basis: OrderedValue {
        switch leaf {
        case .key(_, let comparison, let key): return compare(query.keys, comparison, key)
        case .value(_, .equal, let value) where isIndexed: return query.contains(.make(value))
        case .value(_, let comparison, let value):
            return compare(query.values, comparison, .make(value))
        case .containsAnyValue(_, let values):
            return query.containsAny(in: values.map { M.Value.make($0) })
        case .valueCount(_, let comparison, let number):
            return compare(query.count, comparison, number)
        default: fatalError("\(leaf) can't be applied to \(M.self).")
        }
    }

    func boundedEntries<M: QueryMap>(_ query: Query<M>, _ leaf: PlainLeaf) -> Query<Bool>
    where
        M.Value: WorldValue & BoundedValue & SummableValue, M.Value._Basis: OrderedValue,
        M.Value.Required: WorldValue & Comparable, M.Value.Required._Basis: OrderedValue,
        M.Value.Total: WorldValue, M.Value.Total._Basis: OrderedValue,
        M.Value.Mean: WorldValue, M.Value.Mean._Basis: OrderedValue
    {
        typealias Required = M.Value.Required
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
            case .average: return compare(query.avg, comparison, M.Value.Mean?.make(value))
            }
        default: return entries(query, leaf)
        }
    }

    func anyEntries(
        _ query: Query<Map<String, AnyRealmValue>>, _ leaf: PlainLeaf
    ) -> Query<Bool> {
        switch leaf {
        case .valueAggregate(_, .min, let comparison, let value):
            compare(query.min, comparison, value.isNull ? nil : .make(value))
        case .valueAggregate(_, .max, let comparison, let value):
            compare(query.max, comparison, value.isNull ? nil : .make(value))
        default: entries(query, leaf)
        }
    }
}
