import FoundationEssentials
import Regnum

@testable import RegnumTestModels

/// An object in a query: the queried one, the target of a link, or those of a list or inverse.
enum Place<Target: ObjectBase> {
    case object(Query<Target>)
    case link(Query<Target?>)
    case list(Query<List<Target>>)
    case inverse(Query<LinkingObjects<Target>>)

    func callAsFunction<P: Persistable>(_ keyPath: KeyPath<Target, P>) -> Query<P> {
        switch self {
        case .object(let query): query[dynamicMember: keyPath]
        case .link(let query): query[dynamicMember: keyPath]
        case .list(let query): query[dynamicMember: keyPath]
        case .inverse(let query): query[dynamicMember: keyPath]
        }
    }
}

extension Place where Target: EmbeddedObject {
    func within(_ shape: some GeoShape) -> Query<Bool> {
        switch self {
        case .object(let query): query.geoWithin(shape)
        case .link(let query): query.geoWithin(shape)
        case .list(let query): query.geoWithin(shape)
        case .inverse(let query): query.geoWithin(shape)
        }
    }
}

/// Converts plain conditions to those of the library.
struct ConditionBuilder {
    /// Whether to use the properties with an index in place of those without.
    let isIndexed: Bool
    let transaction: Transaction?
    let snapshot: Snapshot?

    // MARK: Conditions

    func build(_ condition: PlainCondition, _ node: Place<WorldNode>) -> Query<Bool> {
        switch condition {
        case .leaf(let leaf): return build(leaf, node)
        case .at(.part, let term): return build(term, .link(node(\.part)))
        case .at(.parts, let term): return build(term, .list(node(\.parts)))
        case .at(.next, let term): return build(term, .link(node(\.next)))
        case .at(.nodes, let term): return build(term, .list(node(\.nodes)))
        case .at(.fans, let term): return build(term, .inverse(node(\.fans)))
        case .at(.holders, let term): return build(term, .inverse(node(\.holders)))
        case .at(.target, _): fatalError("A node has no target.")
        case .subquery(let hop, let term, let comparison, let number):
            return compare(build(spread(term, over: hop), node).count, comparison, number)
        case .and(let a, let b): return build(a, node) && build(b, node)
        case .or(let a, let b): return build(a, node) || build(b, node)
        case .not(let term): return !build(term, node)
        }
    }

    /// Converts a condition on the elements of a collection to one on its owner, whose terms begin
    /// with the step.
    private func spread(_ condition: PlainCondition, over hop: PlainHop) -> PlainCondition {
        switch condition {
        case .and(let a, let b): .and(spread(a, over: hop), spread(b, over: hop))
        case .or(let a, let b): .or(spread(a, over: hop), spread(b, over: hop))
        case .not(let term): .not(spread(term, over: hop))
        default: .at(hop, condition)
        }
    }

    func build(_ condition: PlainCondition, _ part: Place<WorldPart>) -> Query<Bool> {
        switch condition {
        case .leaf(.link(_, let isEqual, let id)):
            return link(part(\.target), isEqual, id)
        case .leaf(let leaf): return build(leaf, part)
        case .at(_, let term): return build(term, .link(part(\.target)))
        case .subquery: fatalError("A part has no collections.")
        case .and(let a, let b): return build(a, part) && build(b, part)
        case .or(let a, let b): return build(a, part) || build(b, part)
        case .not(let term): return !build(term, part)
        }
    }

    private func build(_ leaf: PlainLeaf, _ part: Place<WorldPart>) -> Query<Bool> {
        if case .within(let area) = leaf { return part.within(area.shape) }
        if leaf.property == .partInt {
            return bounded(part(\.partInt), part(\.partInt), leaf)
        }
        return text(part(\.partText), part(\.partText), leaf)
    }

    // MARK: Leaves of nodes

    private func build(_ leaf: PlainLeaf, _ node: Place<WorldNode>) -> Query<Bool> {
        switch leaf {
        case .link(.part, let isEqual, _):
            return isEqual ? node(\.part) == nil : node(\.part) != nil
        case .link(_, let isEqual, let id): return link(node(\.next), isEqual, id)
        case .linkIn(_, let ids):
            if transaction != nil { return node(\.next).in(ids.map { confined($0) }) }
            return node(\.next).in(ids.compactMap { frozen($0) })
        case .containsAny(.nodes, let ids): return contains(node(\.nodes), ids)
        case .containsAny(.fans, let ids): return contains(node(\.fans), ids)
        case .containsAny(_, let ids): return contains(node(\.holders), ids)
        case .count(.nodes, let comparison, let n):
            return compare(node(\.nodes).count, comparison, n)
        case .count(.parts, let comparison, let n):
            return compare(node(\.parts).count, comparison, n)
        case .count(.fans, let comparison, let n): return compare(node(\.fans).count, comparison, n)
        case .count(_, let comparison, let n): return compare(node(\.holders).count, comparison, n)
        case .quantified(.nodes, let quantifier, let term):
            return quantified(node(\.nodes), quantifier) { build(term, .object($0)) }
        case .quantified(.parts, let quantifier, let term):
            return quantified(node(\.parts), quantifier) { build(term, .object($0)) }
        case .quantified(.fans, let quantifier, let term):
            return quantified(node(\.fans), quantifier) { build(term, .object($0)) }
        case .quantified(_, let quantifier, let term):
            return quantified(node(\.holders), quantifier) { build(term, .object($0)) }
        case .memberAggregate(.parts, _, _, _, _):
            return member(.list(node(\.parts)), leaf)
        case .memberAggregate(.nodes, _, _, _, _): return scalar(.list(node(\.nodes)), leaf)
        case .memberAggregate(.fans, _, _, _, _): return scalar(.inverse(node(\.fans)), leaf)
        case .memberAggregate(_, _, _, _, _): return scalar(.inverse(node(\.holders)), leaf)
        default:
            guard let list = leaf.list else { return scalar(node, leaf) }
            switch list {
            case .ints: return boundedValues(node(\.ints), leaf)
            case .optDoubles: return boundedValues(node(\.optDoubles), leaf)
            case .strings: return values(node(\.strings), leaf)
            case .kinds: return values(node(\.kinds), leaf)
            case .anys: return anyValues(node(\.anys), leaf)
            case .intSet: return boundedValues(node(\.intSet), leaf)
            case .textSet: return values(node(\.textSet), leaf)
            case .anySet: return anyValues(node(\.anySet), leaf)
            case .intMap: return boundedEntries(node(\.intMap), leaf)
            case .textMap: return entries(node(\.textMap), leaf)
            case .anyMap: return anyEntries(node(\.anyMap), leaf)
            }
        }
    }

    private func member(_ part: Place<WorldPart>, _ leaf: PlainLeaf) -> Query<Bool> {
        bounded(part(\.partInt), part(\.partInt), leaf)
    }

    private func confined(_ id: Int) -> WorldNode {
        transaction?.object(WorldNode.self, forPrimaryKey: id) ?? WorldNode()
    }

    private func frozen(_ id: Int) -> Frozen<WorldNode>? {
        snapshot?.object(WorldNode.self, forPrimaryKey: id)
    }

    private func link(_ query: Query<WorldNode?>, _ isEqual: Bool, _ id: Int?) -> Query<Bool> {
        guard let id else { return isEqual ? query == nil : query != nil }
        if transaction != nil {
            return isEqual ? query == confined(id) : query != confined(id)
        }
        return isEqual ? query == frozen(id) : query != frozen(id)
    }

    private func contains<C: QueryCollection>(_ query: Query<C>, _ ids: [Int]) -> Query<Bool>
    where C.Element == WorldNode {
        if transaction != nil {
            let objects = ids.map { confined($0) }
            return objects.count == 1 ? query.contains(objects[0]) : query.containsAny(in: objects)
        }
        let objects = ids.compactMap { frozen($0) }
        return objects.count == 1 ? query.contains(objects[0]) : query.containsAny(in: objects)
    }

    private func quantified<C: QueryCollection>(
        _ query: Query<C>, _ quantifier: PlainQuantifier,
        _ condition: (Query<C.Element>) -> Query<Bool>
    ) -> Query<Bool> where C.Element: ObjectBase {
        switch quantifier {
        case .any: query.any(condition)
        case .all: query.all(condition)
        case .none: query.none(condition)
        }
    }

    func compare<V: ScalarValue>(
        _ query: Query<V>, _ comparison: PlainOperator, _ value: V
    ) -> Query<Bool> where V._Basis: OrderedValue {
        switch comparison {
        case .equal: query == value
        case .notEqual: query != value
        case .less: query < value
        case .lessOrEqual: query <= value
        case .greater: query > value
        case .greaterOrEqual: query >= value
        }
    }
}

extension PlainLeaf {
    /// The property that a leaf tests, if it tests one.
    var property: PlainProperty? {
        switch self {
        case .compare(let property, _, _), .compareProperties(let property, _),
            .isIn(let property, _), .range(let property, _, _, _), .flag(let property, _),
            .text(let property, _, _, _), .textProperties(let property, _, _),
            .data(let property, _, _), .nested(let property, _, _, _),
            .memberAggregate(_, let property, _, _, _):
            property
        case .search: .words
        default: nil
        }
    }

    /// The list that a leaf tests, if it tests a list of values.
    fileprivate var list: PlainList? {
        switch self {
        case .value(let list, _, _), .containsAnyValue(let list, _),
            .valuesInRange(let list, _, _, _), .valueCount(let list, _, _),
            .valueAggregate(let list, _, _, _), .quantifiedValues(let list, _, _, _),
            .key(let list, _, _):
            list
        default: nil
        }
    }
}
