import Regnum
import RegnumTestSupport

@testable import RegnumTestModels

/// A property by which nodes are sorted and made distinct.
enum PlainKey: Sendable {
    case property(PlainProperty)
    case nextInt, nextOptString, nextDouble, partInt, partText, targetLevel
    /// The value of a map for a key, only for sorts: of the node, and of the next one.
    case entry(PlainProperty)
    case nextEntry
    /// A value contained in one of any type, only for sorts; the steps lead to single values.
    case contained([PlainStep])

    /// Returns the value for a node; `nil` if a link on the path is nil.
    func value(_ world: PlainWorld, _ node: Int) -> PlainValue? {
        func of(_ object: Int?, _ property: PlainProperty) -> PlainValue? {
            object.map { world.value(property, $0) }
        }
        let next = world.targets(node, .next).first
        let part = world.targets(node, .part).first
        switch self {
        case .property(let property): return of(node, property)
        case .nextInt: return of(next, .int)
        case .nextOptString: return of(next, .optString)
        case .nextDouble: return of(next, .double)
        case .partInt: return of(part, .partInt)
        case .partText: return of(part, .partText)
        case .targetLevel:
            return of(part.flatMap { world.targets($0, .target).first }, .optLevel)
        case .entry(let property): return of(node, property)
        case .nextEntry: return of(next, .intEntry)
        case .contained(let steps):
            return steps.reduce([world.value(.any, node)]) { values, step in
                values.flatMap { step.targets($0) }
            }.first ?? .null
        }
    }
}

/// A query without the library: conditions, sorts and distincts in any order.
struct PlainPlan: Sendable {
    enum Step: Sendable {
        case filter(PlainCondition)
        case sort([(key: PlainKey, isAscending: Bool)])
        case distinct([PlainKey])
    }

    /// The node whose list or inverse is queried; `nil` for all nodes.
    var source: (node: Int, hop: PlainHop)?
    var steps: [Step]

    init(_ source: inout ConditionSource, ofList: Bool) {
        func chance(_ number: Int) -> Bool {
            Int.random(in: 0..<number, using: &source.random) == 0
        }
        func key() -> PlainKey {
            let paths: [PlainKey] = [
                .nextInt, .nextOptString, .nextDouble, .partInt, .partText, .targetLevel,
            ]
            if chance(4) { return paths.randomElement(using: &source.random) ?? .nextInt }
            let property = PlainProperty.ofNodes.randomElement(using: &source.random)
            return .property(property ?? .int)
        }
        func sortKey() -> PlainKey {
            if !chance(5) { return key() }
            switch Int.random(in: 0..<3, using: &source.random) {
            case 0: return .nextEntry
            case 1:
                let entries: [PlainProperty] = [.intEntry, .textEntry, .anyEntry]
                return .entry(entries.randomElement(using: &source.random) ?? .intEntry)
            default:
                return .contained(
                    (0...Int.random(in: 0...1, using: &source.random)).map { _ in
                        let key = PlainAny.keys.randomElement(using: &source.random) ?? "k"
                        return chance(2)
                            ? .key(key) : .position(Int.random(in: 0...1, using: &source.random))
                    })
            }
        }
        steps = []
        if ofList, let node = source.nodes.randomElement(using: &source.random) {
            self.source = (
                node, [.nodes, .fans, .holders].randomElement(using: &source.random) ?? .nodes
            )
        }
        if !chance(5) { steps.append(.filter(source.condition())) }
        for _ in 0..<([0, 0, 1, 1, 2, 3].randomElement(using: &source.random) ?? 0) {
            switch Int.random(in: 0..<5, using: &source.random) {
            case 0: steps.append(.filter(source.condition(depth: 1)))
            case 1:
                steps.append(
                    .distinct((0...Int.random(in: 0...1, using: &source.random)).map { _ in key() })
                )
            default:
                let count = Int.random(in: 0...2, using: &source.random)
                steps.append(
                    .sort((0...count).map { _ in (sortKey(), Bool.random(using: &source.random)) }))
            }
        }
    }

    /// The nodes that are queried, in order.
    func elements(_ world: PlainWorld) -> [Int] {
        source.map { world.targets($0.node, $0.hop) } ?? world.nodes
    }

    /// Returns the result: all conditions first, then sorts and distincts in their order.
    func result(_ world: PlainWorld) -> [Int] {
        let elements = elements(world)
        return positions(world).map { elements[$0] }
    }

    /// Returns the positions of the result among the nodes that are queried.
    func positions(_ world: PlainWorld) -> [Int] {
        let elements = elements(world)
        var nodes = Array(elements.indices)
        for case .filter(let condition) in steps {
            nodes = nodes.filter { world.holds(condition, elements[$0]) }
        }
        for step in steps {
            switch step {
            case .filter: break
            case .sort(let orders):
                let values = nodes.map { node in
                    orders.map { $0.key.value(world, elements[node]) ?? .null }
                }
                nodes = nodes.indices.sorted { a, b in
                    for (index, order) in orders.enumerated() {
                        let sign = PlainValue.order(values[a][index], values[b][index])
                        if sign != 0 { return order.isAscending ? sign < 0 : sign > 0 }
                    }
                    return a < b
                }.map { nodes[$0] }
            case .distinct(let keys):
                var known: [[PlainValue]] = []
                nodes = nodes.filter { node in
                    let values = keys.compactMap { $0.value(world, elements[node]) }
                    guard values.count == keys.count else { return false }
                    let isKnown = known.contains { other in
                        zip(values, other).allSatisfy { PlainValue.order($0, $1) == 0 }
                    }
                    if !isKnown { known.append(values) }
                    return !isKnown
                }
            }
        }
        return nodes
    }

    /// Runs the same query with the library.
    func ask<Results: Queryable>(_ all: Results, _ builder: ConditionBuilder) -> Results
    where Results.Model == WorldNode {
        steps.reduce(all) { results, step in
            switch step {
            case .filter(let condition):
                results.where { builder.build(condition, Place<WorldNode>.object($0)) }
            case .sort(let orders):
                results.sorted(by: orders.map { $0.key.order($0.isAscending, builder.isIndexed) })
            case .distinct(let keys):
                results.distinct(by: keys.map { $0.keyPath(builder.isIndexed) })
            }
        }
    }
}

extension PlainKey {
    private struct Maker<Value: ScalarValue> {
        let keyPath: KeyPath<WorldNode, Value>
        func order(_ isAscending: Bool) -> SortOrder<WorldNode> {
            isAscending ? .ascending(keyPath) : .descending(keyPath)
        }
    }

    func keyPath(_ isIndexed: Bool) -> PartialKeyPath<WorldNode> { path(isIndexed).keyPath }

    func order(_ isAscending: Bool, _ isIndexed: Bool) -> SortOrder<WorldNode> {
        func order<V: ScalarValue>(
            _ value: (Query<WorldNode>) -> Query<V>
        ) -> SortOrder<WorldNode> {
            isAscending ? .ascending(value: value) : .descending(value: value)
        }
        switch self {
        case .entry(.intEntry): return order { $0.intMap[PlainList.entryKey] }
        case .entry(.textEntry): return order { $0.textMap[PlainList.entryKey] }
        case .entry: return order { $0.anyMap[PlainList.entryKey] }
        case .nextEntry: return order { $0.next.intMap[PlainList.entryKey] }
        case .contained(let steps):
            return order { node in
                steps.reduce(isIndexed ? node.anyX : node.any) { query, step in
                    switch step {
                    case .key(let key): query[key]
                    case .position(let position): query[position]
                    case .all: query.any
                    }
                }
            }
        default: return path(isIndexed).order(isAscending)
        }
    }

    private func path(
        _ x: Bool
    ) -> (keyPath: PartialKeyPath<WorldNode>, order: (Bool) -> SortOrder<WorldNode>) {
        func make<V: ScalarValue>(
            _ keyPath: KeyPath<WorldNode, V>
        ) -> (keyPath: PartialKeyPath<WorldNode>, order: (Bool) -> SortOrder<WorldNode>) {
            (keyPath, { Maker(keyPath: keyPath).order($0) })
        }
        switch self {
        case .nextInt: return make(x ? \.next?.intX : \.next?.int)
        case .nextOptString: return make(x ? \.next?.optStringX : \.next?.optString)
        case .nextDouble: return make(\.next?.double)
        case .partInt: return make(\.part?.partInt)
        case .partText: return make(\.part?.partText)
        case .targetLevel: return make(\.part?.target?.optLevel)
        case .entry, .nextEntry, .contained: fatalError("\(self) has no key path.")
        case .property(let property):
            switch property {
            case .int: return make(x ? \.intX : \.int)
            case .int2: return make(\.int2)
            case .optInt: return make(x ? \.optIntX : \.optInt)
            case .optInt2: return make(\.optInt2)
            case .tiny: return make(x ? \.tinyX : \.tiny)
            case .optMedium: return make(x ? \.optMediumX : \.optMedium)
            case .long: return make(\.long)
            case .bool: return make(x ? \.boolX : \.bool)
            case .optBool: return make(x ? \.optBoolX : \.optBool)
            case .double: return make(\.double)
            case .double2: return make(\.double2)
            case .optDouble: return make(\.optDouble)
            case .optDouble2: return make(\.optDouble2)
            case .float: return make(\.float)
            case .optFloat: return make(\.optFloat)
            case .decimal: return make(\.decimal)
            case .optDecimal: return make(\.optDecimal)
            case .string: return make(x ? \.stringX : \.string)
            case .string2: return make(\.string2)
            case .optString: return make(x ? \.optStringX : \.optString)
            case .optString2: return make(\.optString2)
            case .data: return make(\.data)
            case .optData: return make(\.optData)
            case .date: return make(x ? \.dateX : \.date)
            case .optDate: return make(x ? \.optDateX : \.optDate)
            case .uuid: return make(x ? \.uuidX : \.uuid)
            case .optUuid: return make(x ? \.optUuidX : \.optUuid)
            case .oid: return make(x ? \.oidX : \.oid)
            case .optOid: return make(x ? \.optOidX : \.optOid)
            case .level: return make(x ? \.levelX : \.level)
            case .optLevel: return make(x ? \.optLevelX : \.optLevel)
            case .kind: return make(x ? \.kindX : \.kind)
            case .optKind: return make(x ? \.optKindX : \.optKind)
            case .any: return make(x ? \.anyX : \.any)
            case .words: return make(\.words)
            case .partInt, .partText, .intEntry, .textEntry, .anyEntry:
                fatalError("Nodes have no \(property).")
            }
        }
    }
}
