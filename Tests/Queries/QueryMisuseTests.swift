import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Conditions that compile but are invalid: the query fails when it is used.
@Suite struct QueryMisuseTests {
    private func message(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: @escaping @Sendable (Query<Breeder>) -> Query<Bool>
    ) async throws -> String {
        let realm = try await Breeders.realm()
        let error = await #expect(throws: Realm.Error.self, sourceLocation: sourceLocation) {
            try await realm.read { tx in
                _ = tx.objects(Breeder.self).where(condition).count
            }
        }
        expectEqual(error?.code, .invalidQuery, sourceLocation: sourceLocation)
        var stream = realm.objects(Breeder.self).where(condition).changes.makeAsyncIterator()
        do throws(Realm.Error) {
            _ = try await stream.next()
            Issue.record("The stream began.", sourceLocation: sourceLocation)
        } catch {
            expectEqual(error.code, .invalidQuery, sourceLocation: sourceLocation)
        }
        let frozen = await realmError {
            try realm.snapshot().read { _ = $0.objects(Breeder.self).where(condition).count }
        }
        expectEqual(frozen?.code, .invalidQuery, sourceLocation: sourceLocation)
        expectEqual(frozen?.className, "Breeder", sourceLocation: sourceLocation)
        return error?.message ?? ""
    }

    // Covers 3.3, .invalidQuery, O5
    @Test func expressionsOfTwoObjectsCannotBeCombined() async throws {
        let element = try await message { breeder in
            breeder.pups.any { $0.age > breeder.limit }
        }
        expectTrue(element.contains("can only use their own parameter"))
        let both = try await message { breeder in
            breeder.pups.all { $0.age > 1 && breeder.limit > 1 }
        }
        expectTrue(both.contains("can only use their own parameter"))
        let outer = try await message { breeder in breeder.pups.none { _ in breeder.limit > 1 } }
        expectTrue(outer.contains("can only use their own parameter"))
        let several = try await message { $0.pups.age > $0.limit }
        expectTrue(several.contains("compared with a property of another object"))
        let subquery = try await message { ($0.pups.age > $0.limit).count > 0 }
        expectTrue(subquery.contains("compared with a property of another object"))
    }

    // Covers 3.33, .invalidQuery
    @Test func allTermsOfASubqueryBeginWithItsCollection() async throws {
        let other = try await message { ($0.limit > 3 && $0.pups.age > 1).count > 0 }
        expectTrue(other.contains("all terms have to start with that collection"))
        let none = try await message { ($0.limit > 3).count > 0 }
        expectTrue(none.contains("a condition on the objects of a collection"))
    }

    // Covers .invalidQuery
    @Test func aggregatesAreThoseOfSeveralAndComparedWithValues() async throws {
        let single = try await message { $0.limit.max == 3 }
        expectTrue(single.contains("on the property of a single object"))
        let sum = try await message { $0.limit.sum > $0.pups.age.sum }
        expectTrue(!sum.isEmpty)
        let count = try await message { $0.pups.count > $0.limit }
        expectTrue(count.contains("only with a value"))
    }

    /// Each step repeats the condition so far.
    // Covers .invalidQuery
    @Test func conditionsThatRepeatOthersAreLimited() async throws {
        let equal = try await message { breeder in
            (0..<30).reduce(breeder.limit > 1) { $0 == (breeder.limit > $1) }
        }
        expectTrue(equal.contains("more than 131072 terms"))
        let unequal = try await message { breeder in
            (0..<30).reduce(breeder.limit > 1) { (breeder.limit > $1) != $0 }
        }
        expectTrue(unequal.contains("more than 131072 terms"))
        let values = try await message { breeder in
            (0..<30).reduce(breeder.limit > 1) { condition, _ in condition.in([true, false, true]) }
        }
        expectTrue(values.contains("more than 131072 terms"))
    }

    /// The disjunction is one term, and each of its values repeats the condition.
    // Covers .invalidQuery
    @Test func conditionsRepeatOthersUpToTheLimit() async throws {
        let realm = try await Breeders.realm()
        let breeders = realm.snapshot().objects(Breeder.self)
        let expected = breeders.where { $0.name > "Bob" }.map(\.name)
        for count in [131_070, 131_071] {
            let values = [Bool](repeating: true, count: count)
            let found = breeders.where { breeder in (breeder.name > "Bob").in(values) }
            expectEqual(found.map(\.name), expected)
        }
        let refused = try await message { breeder in
            (breeder.name > "Bob").in([Bool](repeating: true, count: 131_072))
        }
        expectTrue(refused.contains("more than 131072 terms"))
    }

    /// Far beyond the limit, releasing the condition would overflow the stack, too.
    // Covers .invalidQuery
    @Test(arguments: [65, 20_000]) func conditionsAreNotNestedDeeper(_ count: Int) async throws {
        let operators = try await message { breeder in
            (1..<count).reduce(breeder.limit > 1) { condition, level in
                level % 2 == 0 ? condition && breeder.limit > 2 : condition || breeder.limit > 3
            }
        }
        expectTrue(operators.contains("nested more than 64 levels deep"))
        let negations = try await message { breeder in
            (1..<count).reduce(breeder.limit > 1) { condition, level in
                level % 2 == 0 ? !condition : condition && breeder.limit > 2
            }
        }
        expectTrue(negations.contains("nested more than 64 levels deep"))
        let right = try await message { breeder in
            (1..<count).reduce(breeder.limit > 1) { condition, level in
                level % 2 == 0 ? breeder.limit > 2 && condition : breeder.limit > 3 || condition
            }
        }
        expectTrue(right.contains("nested more than 64 levels deep"))
        let links = try await message { breeder in
            (1..<min(count, 5_000)).reduce(breeder.favourite) { pup, _ in pup.mother }.name == "Eve"
        }
        expectTrue(links.contains("nested more than 64 levels deep"))
        let property = try await message { breeder in
            (1..<min(count, 5_000)).reduce(breeder.favourite) { pup, _ in pup.mother }.isGood
        }
        expectTrue(property.contains("nested more than 64 levels deep"))
    }
}
