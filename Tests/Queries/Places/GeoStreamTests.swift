import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Live queries for points within a shape.
@Suite struct GeoStreamTests {
    private static let corner = GeoBox(bottomLeft: (0, 0), topRight: (2, 2))

    /// Shop n has the point (n + 0.5, n + 0.5), and branches there and at (50, 50). Shop 9 links to
    /// shop 1, and has it in its list.
    private func realm() async throws -> Realm {
        try await GeoShop.realm { tx in
            for number in 0..<5 {
                let degrees = Double(number) + 0.5
                let shop = GeoShop(number, "", GeoSpot(degrees, degrees))
                shop.branches.append(objectsIn: [GeoSpot(degrees, degrees), GeoSpot(50, 50)])
                try tx.add(shop)
            }
            let owner = GeoShop(9)
            owner.partner = tx.object(GeoShop.self, forPrimaryKey: 1)
            if let partner = owner.partner { owner.rivals.append(partner) }
            try tx.add(owner)
        }
    }

    /// Checks the numbers of the shops in a stream's result after each of some changes, each of
    /// which moves a shop into or out of it.
    private func check(
        _ condition: @escaping @Sendable (Query<GeoShop>) -> Query<Bool>, _ initial: [Int],
        sourceLocation: SourceLocation = #_sourceLocation,
        _ changes: [(expected: [Int], change: @Sendable (GeoShop, Transaction) -> Void)]
    ) async throws {
        let realm = try await realm()
        let live = realm.objects(GeoShop.self).where(condition)
        var stream = live.changes.makeAsyncIterator()
        guard case .initial(let first)? = try await stream.next() else {
            Issue.record("not the initial element", sourceLocation: sourceLocation)
            return
        }
        expectEqual(first.map(\.number), initial, sourceLocation: sourceLocation)
        var before = initial
        for (number, step) in changes.enumerated() {
            try await realm.write { tx in
                guard let shop = tx.object(GeoShop.self, forPrimaryKey: 1) else { return }
                step.change(shop, tx)
            }
            guard case .update(let shops, let delta)? = try await stream.next() else {
                Issue.record("no update \(number)", sourceLocation: sourceLocation)
                return
            }
            let after = shops.map(\.number)
            expectEqual(after, step.expected, "\(number)", sourceLocation: sourceLocation)
            expectEqual(
                delta.inserted.map(\.number), after.filter { !before.contains($0) }, "\(number)",
                sourceLocation: sourceLocation)
            expectEqual(
                delta.deleted.map(\.number), before.filter { !after.contains($0) }, "\(number)",
                sourceLocation: sourceLocation)
            expectEqual(live.current.map(\.number), after, sourceLocation: sourceLocation)
            before = after
        }
    }

    // Covers 9.8
    @Test func changesOfAPointMoveItsOwner() async throws {
        let corner = try requireValue(Self.corner)
        try await check(
            { $0.spot.geoWithin(corner) }, [0, 1],
            [
                ([0], { shop, _ in shop.spot?.coordinates[1] = 7 }),
                ([0, 1], { shop, _ in shop.spot?.coordinates[1] = 1 }),
                ([0], { shop, _ in shop.spot?.coordinates.removeLast() }),
                ([0, 1], { shop, _ in shop.spot?.coordinates.append(1) }),
                ([0], { shop, _ in shop.spot?.coordinates.insert(-3, at: 0) }),
                ([0, 1], { shop, _ in shop.spot?.coordinates.remove(at: 0) }),
                ([0], { shop, _ in shop.spot?.type = "Line" }),
                ([0, 1], { shop, _ in shop.spot?.type = "POINT" }),
                ([0], { shop, _ in shop.spot = nil }),
                ([0, 1], { shop, _ in shop.spot = GeoSpot(1, 1) }),
                ([0], { shop, _ in shop.spot = GeoSpot(3, 3) }),
                (
                    [0, 1],
                    { shop, _ in
                        shop.spot?.coordinates.removeAll()
                        shop.spot?.coordinates.append(objectsIn: [1, 1])
                    }
                ),
                ([0], { shop, tx in tx.delete(shop) }),
            ])
    }

    @Test func theComplementMovesTheOtherWay() async throws {
        let corner = try requireValue(Self.corner)
        try await check(
            { !$0.spot.geoWithin(corner) }, [2, 3, 4, 9],
            [
                ([1, 2, 3, 4, 9], { shop, _ in shop.spot?.coordinates[0] = 5 }),
                ([2, 3, 4, 9], { shop, _ in shop.spot?.coordinates[0] = 0.5 }),
                ([1, 2, 3, 4, 9], { shop, _ in shop.spot = nil }),
            ])
    }

    // Covers 9.10
    @Test func changesOfAListOfPointsMoveItsOwner() async throws {
        let corner = try requireValue(Self.corner)
        try await check(
            { $0.branches.geoWithin(corner) }, [0, 1],
            [
                ([0], { shop, _ in shop.branches[0].coordinates[0] = 9 }),
                ([0, 1], { shop, _ in shop.branches.append(GeoSpot(1, 1)) }),
                ([0], { shop, _ in shop.branches.removeLast() }),
                ([0, 1], { shop, _ in shop.branches[1].coordinates.replace([1, 1]) }),
                ([0], { shop, _ in shop.branches[1].type = "" }),
            ])
    }

    @Test func changesAreFollowedThroughLinks() async throws {
        let corner = try requireValue(Self.corner)
        let conditions: [@Sendable (Query<GeoShop>) -> Query<Bool>] = [
            { $0.partner.spot.geoWithin(corner) }, { $0.rivals.spot.geoWithin(corner) },
            { $0.rivals.any { $0.spot.geoWithin(corner) } },
            { $0.partner.branches.geoWithin(corner) },
        ]
        for condition in conditions {
            try await check(
                condition, [9],
                [
                    (
                        [],
                        { shop, _ in
                            shop.spot?.coordinates[0] = 9
                            shop.branches[0].coordinates[0] = 9
                        }
                    ),
                    (
                        [9],
                        { shop, _ in
                            shop.spot?.coordinates[0] = 1
                            shop.branches[0].coordinates[0] = 1
                        }
                    ),
                ])
        }
    }
}

extension List {
    fileprivate func replace(_ values: [Element]) {
        removeAll()
        append(objectsIn: values)
    }
}
