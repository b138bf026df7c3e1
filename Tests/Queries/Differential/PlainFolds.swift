import FoundationEssentials
import Regnum
import RegnumTestSupport

@testable import RegnumTestModels

/// The aggregates of a result, computed without the library.
struct PlainFolds {
    let world: PlainWorld
    let nodes: [Int]

    /// Whether the aggregates of a random property agree.
    func agree<Results: Queryable>(
        with results: Results, _ random: inout SeededRandom
    ) -> Bool where Results.Model == WorldNode {
        switch Int.random(in: 0..<14, using: &random) {
        case 0: areSame(results, \.int, .property(.int))
        case 1: areSame(results, \.optIntX, .property(.optInt))
        case 2: areSame(results, \.tinyX, .property(.tiny))
        case 3: areSame(results, \.optMedium, .property(.optMedium))
        case 4: areSame(results, \.long, .property(.long))
        case 5: areSame(results, \.double, .property(.double))
        case 6: areSame(results, \.optDouble, .property(.optDouble))
        case 7: areSame(results, \.float, .property(.float))
        case 8: areSame(results, \.next?.double, .nextDouble)
        case 9: areSame(results, \.part?.partInt, .partInt)
        case 10: areSame(results, \.decimal, .property(.decimal))
        case 11: areSame(results, \.optDecimal, .property(.optDecimal))
        case 12: haveSameBounds(results, \.dateX, .property(.date))
        default: haveSameBounds(results, \.optDate, .property(.optDate))
        }
    }

    private func values(_ key: PlainKey) -> [PlainValue] {
        nodes.map { key.value(world, $0) ?? .null }
    }

    private func haveSameBounds<Results: Queryable, V: BoundedValue>(
        _ results: Results, _ keyPath: KeyPath<WorldNode, V>, _ key: PlainKey
    ) -> Bool where Results.Model == WorldNode, V.Required: WorldValue & Equatable {
        func make(_ kind: PlainAggregate) -> V.Required? {
            guard let value = kind.fold(values(key), isInteger: false), !value.isNull else {
                return nil
            }
            return V.Required.make(value)
        }
        return results.min(of: keyPath) == make(.min) && results.max(of: keyPath) == make(.max)
    }

    private func areSame<Results: Queryable, V: BoundedValue & SummableValue>(
        _ results: Results, _ keyPath: KeyPath<WorldNode, V>, _ key: PlainKey
    ) -> Bool
    where
        Results.Model == WorldNode, V.Required: WorldValue & Equatable,
        V.Total: WorldValue & Equatable
    {
        guard haveSameBounds(results, keyPath, key) else { return false }
        let isInteger = V.Total.self == Int.self
        let values = values(key)
        // A sum that overflows is an error.
        if let sum = PlainAggregate.sum.fold(values, isInteger: isInteger) {
            let found = results.sum(of: keyPath)
            let isNaN = sum.isNaN && found != found
            if !isNaN, found != V.Total.make(sum) { return false }
        }
        let average = results.average(of: keyPath)
        let found = (average as? Decimal128).map { Double($0) } ?? average as? Double
        let mean = PlainAggregate.average.fold(values, isInteger: isInteger)?.double
        return found == mean || found?.isNaN == true && mean?.isNaN == true
    }
}
