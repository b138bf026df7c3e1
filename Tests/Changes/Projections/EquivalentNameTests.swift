import Regnum
import RegnumTestSupport
import Testing

/// A class with two properties whose names are canonically equivalent, but have different bytes:
/// one letter, and two.
private final class Sign: Object {
    // swift-format-ignore: IdentifiersMustBeASCII
    @Persisted var é: Int
    // swift-format-ignore: IdentifiersMustBeASCII
    @Persisted var é: Int

    var sum: Int { é + é }
}

@Suite struct EquivalentNameTests {
    private final class Total: Projection<Sign> {
        @Projected(\Sign.sum) var sum
    }

    // Covers 8.23
    @Test func namesWithDifferentBytesAreDifferentProperties() async throws {
        let realm = try await Realm.temporary([Sign.self])
        try await realm.write { tx in try tx.add(Sign()) }
        var stream = realm.objects(Total.self).changes.makeAsyncIterator()
        _ = try await stream.next()
        for isFirst in [true, false] {
            try await realm.write { tx in
                let sign = try requireValue(tx.objects(Sign.self).first)
                if isFirst { sign.é += 1 } else { sign.é += 1 }
            }
            guard case .update(_, let delta)? = try await stream.next(within: .zero).element else {
                Issue.record("no update")
                continue
            }
            expectEqual(delta.modified.map(\.properties), [["sum"]])
        }
        expectEqual(realm.snapshot().objects(Total.self).map(\.sum), [2])
    }
}
