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
        #expect(element.contains("can only use their own parameter"))
        let both = try await message { breeder in
            breeder.pups.all { $0.age > 1 && breeder.limit > 1 }
        }
        #expect(both.contains("can only use their own parameter"))
        let outer = try await message { breeder in breeder.pups.none { _ in breeder.limit > 1 } }
        #expect(outer.contains("can only use their own parameter"))
        let several = try await message { $0.pups.age > $0.limit }
        #expect(several.contains("compared with a property of another object"))
        let subquery = try await message { ($0.pups.age > $0.limit).count > 0 }
        #expect(subquery.contains("compared with a property of another object"))
    }

    // Covers 3.33, .invalidQuery
    @Test func allTermsOfASubqueryBeginWithItsCollection() async throws {
        let other = try await message { ($0.limit > 3 && $0.pups.age > 1).count > 0 }
        #expect(other.contains("all terms have to start with that collection"))
        let none = try await message { ($0.limit > 3).count > 0 }
        #expect(none.contains("a condition on the objects of a collection"))
    }

    // Covers .invalidQuery
    @Test func aggregatesAreThoseOfSeveralAndComparedWithValues() async throws {
        let single = try await message { $0.limit.max == 3 }
        #expect(single.contains("on the property of a single object"))
        let sum = try await message { $0.limit.sum > $0.pups.age.sum }
        #expect(!sum.isEmpty)
        let count = try await message { $0.pups.count > $0.limit }
        #expect(count.contains("only with a value"))
    }
}
