import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// A recipe, stored as an embedded object with collections of each kind.
private struct Recipe: CustomPersistable, Sendable {
    var name = ""
    var amounts: [String: Int] = [:]
    var steps: [String] = []
    var marks: Set<String> = []
    var extras: [[Int]] = []
    var options: [String: Int] = [:]

    init(_ name: String) { self.name = name }

    init(persistedValue: RecipeRow) {
        name = persistedValue.name
        for entry in persistedValue.amounts { amounts[entry.key] = entry.value }
        steps = Array(persistedValue.steps)
        marks = Set(persistedValue.marks)
        extras =
            persistedValue.extras.listValue.map {
                $0.map { ($0.listValue ?? List()).compactMap(\.intValue) }
            } ?? []
        for entry in persistedValue.options { options[entry.key] = entry.value.intValue ?? 0 }
    }

    var persistableValue: RecipeRow {
        let row = RecipeRow()
        row.name = name
        for (key, value) in amounts { row.amounts[key] = value }
        row.steps.append(objectsIn: steps)
        for mark in marks { row.marks.insert(mark) }
        row.extras = .fromArray(extras.map { .fromArray($0.map { .int($0) }) })
        for (key, value) in options { row.options[key] = .int(value) }
        return row
    }
}

private final class RecipeRow: EmbeddedObject {
    @Persisted var name: String
    @Persisted var amounts: Map<String, Int>
    @Persisted var steps: List<String>
    @Persisted var marks: MutableSet<String>
    @Persisted var extras: AnyRealmValue
    @Persisted var options: Map<String, AnyRealmValue>
}

private final class Cook: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var recipes: List<Recipe>
}

/// Values that are stored as embedded objects are equal if the objects' contents are.
@Suite struct EmbeddedContentTests {
    private static let base: Recipe = {
        var recipe = Recipe("soup")
        recipe.amounts = ["salt": 1, "water": 2]
        recipe.steps = ["boil", "stir"]
        recipe.marks = ["hot", "cheap", "quick", "green"]
        recipe.extras = [[1], [], [2, 3]]
        recipe.options = ["a": 1, "b": 2]
        return recipe
    }()

    /// Recipes that each differ from the base in one collection.
    private static var others: [Recipe] {
        let changes: [(inout Recipe) -> Void] = [
            { $0.amounts["salt"] = 2 }, { $0.amounts["water"] = nil }, { $0.steps.reverse() },
            { $0.marks.insert("cold") }, { $0.marks = ["hot", "cheap", "quick", "red"] },
            { $0.extras[2][1] = 4 }, { $0.extras.removeLast() }, { $0.options["a"] = 3 },
        ]
        return changes.map { change in
            var recipe = base
            change(&recipe)
            return recipe
        }
    }

    // Covers 8.7, 8.21
    @Test func unmanagedListsCompareThem() {
        expectEqual(List([Self.base]), List([Self.base]))
        for (number, other) in Self.others.enumerated() {
            expectTrue(List([Self.base]) != List([other]), "\(number)")
            expectEqual(List([other, Self.base]).index(of: Self.base), 1, "\(number)")
        }
    }

    @Test func storedOnesAreFoundAndCompared() async throws {
        let realm = try await Realm.temporary([Cook.self, RecipeRow.self])
        try await realm.write { tx in
            for id in 0..<2 {
                let cook = Cook()
                cook.id = id
                cook.recipes.append(objectsIn: Self.others + [Self.base])
                try tx.add(cook)
            }
        }
        let count = Self.others.count
        let cooks = realm.snapshot().objects(Cook.self)
        expectEqual(cooks[0].recipes, cooks[1].recipes)
        expectEqual(cooks[0].recipes.index(of: Self.base), count)
        try await realm.read { tx in
            expectEqual(tx.objects(Cook.self)[0].recipes.index(of: Self.base), count)
        }
        try await realm.write { tx in
            let cook = tx.objects(Cook.self)[1]
            var recipe = cook.recipes[count]
            recipe.extras[0][0] = 9
            cook.recipes[count] = recipe
        }
        let changed = realm.snapshot().objects(Cook.self)
        expectTrue(
            changed[0].recipes != changed[1].recipes && changed[0].recipes == cooks[1].recipes)
        expectNil(changed[1].recipes.index(of: Self.base))
    }
}
