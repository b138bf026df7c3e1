import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

final class Purchase: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var price: Decimal128
    @Persisted var discount: Decimal128?
    @Persisted var taxes: List<Decimal128>
    @Persisted var notes: List<Decimal128?>

    convenience init(_ id: Int, _ price: Decimal128, discount: Decimal128? = nil) {
        self.init()
        self.id = id
        self.price = price
        self.discount = discount
    }
}

/// `Decimal128` as a required property, an optional one, and the element type of lists.
@Suite struct DecimalPropertyTests {
    private func shop(_ purchases: [Purchase]) async throws -> Realm {
        let realm = try await Realm.temporary([Purchase.self])
        // Computed in the transaction, because managed objects are confined to it.
        let values = purchases.map { ($0.id, $0.price, $0.discount) }
        try await realm.write { tx in
            for (id, price, discount) in values {
                try tx.add(Purchase(id, price, discount: discount))
            }
        }
        return realm
    }

    // Covers 1.21, 1.44
    @Test func zeroIsTheDefaultAndDigitsAreKept() async throws {
        expectTrue(Purchase().price == 0 && Purchase().discount == nil)
        let realm = try await shop([Purchase(1, "19.90", discount: "-0.050")])
        let stored = try requireValue(realm.snapshot().object(Purchase.self, forPrimaryKey: 1))
        expectTrue(stored.price.description == "19.90" && stored.discount?.description == "-0.050")
        try await realm.write { tx in
            let purchase = try requireValue(tx.object(Purchase.self, forPrimaryKey: 1))
            expectEqual(purchase.price * 3, "59.7")
            purchase.price = .nan
            purchase.discount = nil
            purchase.taxes.append(objectsIn: ["0.07", "1E+6144", "-Infinity"])
            purchase.notes.append(objectsIn: [nil, 0, "0.00"])
        }
        let changed = try requireValue(realm.snapshot().object(Purchase.self, forPrimaryKey: 1))
        expectTrue(changed.price.isNaN && changed.discount == nil)
        expectEqual(Array(changed.taxes), ["0.07", "1E+6144", "-Infinity"])
        expectEqual(changed.notes.map { $0?.description }, [nil, "0", "0.00"])
    }

    // Covers 1.44
    @Test func decimalsSurviveClosingAndOpening() async throws {
        let folder = try RealmFolder()
        for round in 0..<2 {
            let realm = try await Realm.open(folder.configuration("shop.realm", [Purchase.self]))
            if round == 0 {
                try await realm.write { tx in
                    for id in 0..<2_000 {
                        let purchase = Purchase(id, Decimal128(id) / 100)
                        if id % 3 == 0 { purchase.discount = Decimal128(-id) }
                        try tx.add(purchase)
                    }
                }
                try await realm.write { tx in
                    for purchase in tx.objects(Purchase.self).where({ $0.id < 100 }) {
                        purchase.price += "0.001"
                    }
                }
            }
            let purchases = realm.snapshot().objects(Purchase.self)
            for purchase in purchases {
                let price = Decimal128(purchase.id) / 100 + (purchase.id < 100 ? "0.001" : 0)
                expectEqual(purchase.price, price)
                let discount = purchase.id % 3 == 0 ? Decimal128(-purchase.id) : nil
                expectEqual(purchase.discount, discount)
            }
            expectEqual(purchases.count, 2_000)
            await realm.close()
        }
    }

    // Covers 3.4
    @Test func queriesGoByTheNumber() async throws {
        let realm = try await shop([
            Purchase(1, "1.50", discount: 2), Purchase(2, "1.5"), Purchase(3, .nan),
            Purchase(4, "-1E+3", discount: "0.0"), Purchase(5, .infinity, discount: "-0"),
            Purchase(6, "9007199254740993"), Purchase(7, "9007199254740992"),
        ])
        let purchases = realm.snapshot().objects(Purchase.self)
        func ids(_ condition: (Query<Purchase>) -> Query<Bool>) -> [Int] {
            purchases.where(condition).map(\.id)
        }
        expectEqual(ids { $0.price == "1.500" }, [1, 2])
        expectEqual(ids { $0.price != "1.5" }, [3, 4, 5, 6, 7])
        expectEqual(ids { $0.price < "1.5" }, [3, 4])  // NaN is below all others
        expectEqual(ids { $0.price >= "9007199254740993" }, [5, 6])
        expectEqual(ids { $0.price.contains("1.5"..."9007199254740992") }, [1, 2, 7])
        expectEqual(ids { $0.price.in([.nan, "1.50"]) }, [1, 2, 3])
        expectEqual(ids { $0.discount == nil }, [2, 3, 6, 7])
        expectEqual(ids { $0.discount == 0 }, [4, 5])
        expectEqual(ids { $0.discount <= 0 }, [4, 5])
        expectEqual(purchases.sorted(by: \.price).map(\.id), [3, 4, 1, 2, 7, 6, 5])
        expectEqual(
            purchases.sorted(by: \.price, ascending: false).map(\.id), [5, 6, 7, 1, 2, 4, 3])
        expectEqual(purchases.distinct(by: \.discount).map(\.id), [1, 2, 4])
    }

    // Covers 2.21, 2.24
    @Test func foldsAreExactDecimals() async throws {
        let realm = try await shop([
            Purchase(1, "0.1", discount: 1), Purchase(2, "0.2"), Purchase(3, "0.3", discount: 2),
        ])
        let purchases = realm.snapshot().objects(Purchase.self)
        expectEqual(purchases.sum(of: \.price), "0.6")
        expectEqual(purchases.average(of: \.price), "0.2")
        expectEqual(purchases.average(of: \.discount), "1.5")
        expectTrue(purchases.min(of: \.price) == "0.1" && purchases.max(of: \.price) == "0.3")
        expectNil(purchases.where { $0.id > 9 }.average(of: \.price))
        expectEqual(purchases.where { $0.id > 9 }.sum(of: \.price), 0)
        try await realm.write { tx in
            for purchase in tx.objects(Purchase.self) {
                purchase.taxes.append(objectsIn: [purchase.price, 1])
            }
            let list = try requireValue(tx.object(Purchase.self, forPrimaryKey: 3)).taxes
            expectTrue(list.sum() == "1.3" && list.average() == "0.65" && list.max() == 1)
            let unmanaged = List<Decimal128>(["0.1", "0.2", .nan])
            expectTrue(unmanaged.min() == "0.1" && unmanaged.sum().isNaN)
        }
        let now = realm.snapshot().objects(Purchase.self)
        expectEqual(now.where { $0.taxes.sum == "1.2" }.map(\.id), [2])
        expectEqual(now.where { $0.taxes.avg > "0.55" }.map(\.id), [2, 3])
        expectEqual(now.where { $0.taxes.contains("0.10") }.map(\.id), [1])
    }

    @Test func otherNumbersAndTextsAreAcceptedByValue() async throws {
        let realm = try await Realm.temporary([Purchase.self])
        try await realm.write { tx in
            _ = try tx.create(Purchase.self, value: ["id": 1, "price": 3, "discount": 0.1])
            _ = try tx.create(
                Purchase.self, value: ["id": 2, "price": "12.50", "taxes": [1, "2"]])
        }
        let purchases = realm.snapshot().objects(Purchase.self)
        expectEqual(purchases.map { $0.price.description }, ["3", "12.50"])
        expectEqual(purchases[0].discount, "0.1")
        expectEqual(Array(purchases[1].taxes), [1, 2])
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                _ = try tx.create(Purchase.self, value: ["id": 3, "price": "twelve"])
            }
        }
        expectTrue(error?.code == .invalidValue && "\(error!)".contains("Purchase.price"))
        expectEqual(realm.snapshot().objects(Purchase.self).count, 2)
    }

    // Covers 11.11
    @Test func frozenDecimalsAreTextsInJSON() async throws {
        let realm = try await shop([Purchase(1, "19.90")])
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let purchase = try requireValue(realm.snapshot().object(Purchase.self, forPrimaryKey: 1))
        let text = String(decoding: try encoder.encode(purchase), as: UTF8.self)
        expectEqual(text, #"{"discount":null,"id":1,"notes":[],"price":"19.9","taxes":[]}"#)
    }

    @Test func streamsTellChangesOfDecimals() async throws {
        let realm = try await shop([Purchase(1, 1), Purchase(2, 2)])
        let dear = realm.objects(Purchase.self).where { $0.price > "1.5" }.sorted(by: \.price)
        var stream = dear.changes.makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { tx in
            for purchase in tx.objects(Purchase.self) { purchase.price *= "1.6" }
        }
        guard case .update(let now, let delta)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(now.map { $0.price.description }, ["1.6", "3.2"])
        expectTrue(delta.insertions == [0] && delta.modifications == [0])
        expectTrue(delta.modified[0].old.price == 2 && delta.modified[0].properties == ["price"])
    }

    @Test func aSchemaThatSaysOtherwiseIsRefused() async throws {
        enum Other {
            final class Purchase: Object {
                @Persisted(primaryKey: true) var id: Int
                @Persisted var price: Double
            }
        }
        let folder = try RealmFolder()
        let realm = try await Realm.open(folder.configuration("shop.realm", [Purchase.self]))
        try await realm.write { tx in try tx.add(Purchase(1, 1)) }
        await realm.close()
        let error = await #expect(throws: Realm.Error.self) {
            let other = try await Realm.open(
                folder.configuration("shop.realm", [Other.Purchase.self]))
            await other.close()
        }
        expectEqual(error?.code, .schemaMismatch)
        expectTrue("\(error!)".contains("Decimal128") && "\(error!)".contains("price"))
    }
}
