import Regnum
import RegnumTestSupport
import Synchronization
import Testing

@testable import RegnumTestModels

/// A key that counts how often it is converted.
private struct CountedKey: CustomPersistable {
    static let conversionCount = Atomic(0)

    var persistedValue: String

    init(persistedValue: String) { self.persistedValue = persistedValue }

    var persistableValue: String {
        Self.conversionCount.add(1, ordering: .relaxed)
        return persistedValue
    }
}

private final class ChainLink: Object {
    @Persisted(primaryKey: true) var key: CountedKey
    @Persisted var next: ChainLink?
}

/// Objects that one call stores and that have the same key.
@Suite struct RepeatedKeyTests {
    // Covers 7.9
    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func objectsThatLinkToEachOtherUpdateTheirRowsInTurn(policy: Realm.UpdatePolicy) async throws {
        let realm = try await Realm.temporary([Hound.self, Keeper.self, Collar.self])
        try await realm.write { tx in
            let hounds = (0..<6).map { Hound($0 % 2 == 0 ? "Rex" : "Fido", age: Int8($0)) }
            for (hound, next) in zip(hounds, hounds.dropFirst() + hounds.prefix(1)) {
                hound.friend = next
                let collar = Collar()
                collar.color = "\(hound.age)"
                hound.collar = collar
            }
            let collar = hounds[0].collar
            try tx.add(hounds[0], update: policy)
            expectEqual(tx.objects(Hound.self).map(\.name), ["Rex", "Fido"])
            expectEqual(hounds.map(\.age), [4, 5, 4, 5, 4, 5])
            expectEqual(hounds.map { $0.friend?.age }, [5, 4, 5, 4, 5, 4])
            expectEqual(hounds.map { $0.collar?.color }, ["4", "5", "4", "5", "4", "5"])
            expectEqual(collar?.isInvalidated, policy == .all)
        }
    }

    /// No object is visited for each one before it.
    @Test func timeIsLinearInTheLengthOfAChain() async throws {
        let realm = try await Realm.temporary([ChainLink.self])
        try await realm.write { tx in
            let links = (0..<300).map { _ in ChainLink() }
            for (link, next) in zip(links, links.dropFirst()) { link.next = next }
            let before = CountedKey.conversionCount.load(ordering: .relaxed)
            try tx.add(links[0], update: .all)
            let count = CountedKey.conversionCount.load(ordering: .relaxed) - before
            expectEqual(tx.objects(ChainLink.self).count, 1)
            expectTrue(count < 20 * links.count, "\(count)")
        }
    }
}
