import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The effect of `@Persisted(onDelete:)` on deletions.
@Suite struct DeleteRuleTests {
    private let folder: RealmFolder

    init() throws { folder = try RealmFolder() }

    private func open(_ types: [ObjectBase.Type]? = ruleClasses) async throws -> Realm {
        let realm = try await Realm.open(folder.configuration("test.realm", types))
        try await realm.write { tx in
            let ann = RuleCustomer(value: ["name": "Ann"])
            try tx.add([ann, RuleCustomer(value: ["name": "Bo"])])
            for number in 1...3 {
                let order = RuleOrder(value: ["number": number])
                order.customer = number < 3 ? ann : nil
                order.agent = ann
                order.lines.append(objectsIn: (0..<2).map { RuleLine(value: ["text": "\($0)"]) })
                try tx.add(order)
            }
        }
        return realm
    }

    // Covers .deletionDenied
    @Test(arguments: [true, false])
    func denialNamesClassPropertyAndObject(isListed: Bool) async throws {
        let realm = try await open(isListed ? ruleClasses : nil)
        let version = realm.snapshot().version
        let error = await realmError {
            try await realm.write { tx in
                try tx.add(RuleCustomer(value: ["name": "lost"]))
                tx.delete(try requireValue(tx.object(RuleCustomer.self, forPrimaryKey: "Ann")))
                // Nothing was deleted.
                expectTrue(tx.object(RuleCustomer.self, forPrimaryKey: "Ann") != nil)
            }
        }
        expectEqual(error?.code, .deletionDenied)
        expectTrue(error?.className == "RuleOrder" && error?.property == "customer")
        expectEqual(error?.key, "1")
        expectEqual(
            error?.message,
            "RuleOrder.customer denies the deletion of RuleCustomer \"Ann\": RuleOrder 1 "
                + "still links to it.")
        expectEqual(realm.snapshot().version, version)
        await realm.close()
    }

    @Test func savepointCatchesADenial() async throws {
        let realm = try await open()
        try await realm.write { tx in
            let all = tx.objects(RuleCustomer.self)
            #expect(throws: Realm.Error.self) { try tx.savepoint { tx.delete(all) } }
            expectEqual(all.count, 2)
            tx.delete(all.where { $0.name == "Bo" })
        }
        expectEqual(realm.snapshot().objects(RuleCustomer.self).map(\.name), ["Ann"])
        await realm.close()
    }

    @Test func deletedTogetherNothingDenies() async throws {
        let realm = try await open()
        try await realm.write { tx in
            let ann = try requireValue(tx.object(RuleCustomer.self, forPrimaryKey: "Ann"))
            let orders = Array(tx.objects(RuleOrder.self))
            // In the same call, whatever the order of the arguments.
            tx.delete([ann] as [ObjectBase] + orders)
            expectTrue(ann.isInvalidated && orders.allSatisfy(\.isInvalidated))
            expectEqual(tx.objects(RuleLine.self).count, 0)
        }
        expectEqual(realm.snapshot().objects(RuleCustomer.self).map(\.name), ["Bo"])
        expectTrue(realm.snapshot().objects(RuleOrder.self).isEmpty)
        await realm.close()
    }

    @Test func cascadeDeletesWhatIsLinkedAndNullsOtherLinks() async throws {
        let realm = try await open()
        try await realm.write { tx in
            let orders = tx.objects(RuleOrder.self)
            // Two orders share a line.
            orders[1].lines.append(orders[0].lines[0])
            tx.delete(orders[0])
            expectEqual(orders.count, 2)
            expectEqual(tx.objects(RuleLine.self).count, 4)
            expectEqual(orders[0].lines.count, 2)
            orders[0].customer = nil
            // Nothing denies any more; `agent` becomes nil.
            tx.delete(try requireValue(tx.object(RuleCustomer.self, forPrimaryKey: "Ann")))
            expectTrue(orders.allSatisfy { $0.agent == nil })
        }
        await realm.close()
    }

    @Test func embeddedObjectsDenyAndGoWithTheirOwner() async throws {
        let realm = try await open()
        try await realm.write { tx in
            let order = tx.objects(RuleOrder.self)[2]
            let bo = try requireValue(tx.object(RuleCustomer.self, forPrimaryKey: "Bo"))
            order.lines[0].place = RulePlace()
            order.lines[0].place?.keeper = bo
            let error = #expect(throws: Realm.Error.self) { try tx.savepoint { tx.delete(bo) } }
            expectTrue(error?.code == .deletionDenied && error?.className == "RulePlace")
            expectEqual(error?.message.contains("a RulePlace still links to it"), true)
            // Deleting the order also deletes its line, and that one's place.
            tx.delete([bo, order] as [ObjectBase])
        }
        expectEqual(realm.snapshot().objects(RuleCustomer.self).map(\.name), ["Ann"])
        await realm.close()
    }

    @Test func longChainsAndCyclesGoAtOnce() async throws {
        let realm = try await Realm.open(folder.configuration("test.realm", ruleClasses))
        try await realm.write { tx in
            var last: RuleNode?
            for number in 0..<20_000 {
                let node = RuleNode(value: ["number": number])
                node.child = last
                try tx.add(node)
                last = node
            }
            tx.object(RuleNode.self, forPrimaryKey: 0)?.child = last
        }
        var stream = realm.objects(RuleNode.self).changes.makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { tx in
            tx.delete(try requireValue(tx.object(RuleNode.self, forPrimaryKey: 7_000)))
            expectEqual(tx.objects(RuleNode.self).count, 0)
        }
        guard case .update(let nodes, let delta)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(nodes.isEmpty && delta.deletions.count == 20_000)
        await realm.close()
    }

    @Test func deleteAllAsksNoRule() async throws {
        let realm = try await open()
        try await realm.write { $0.deleteAll() }
        expectTrue(realm.isEmpty)
        await realm.close()
    }

    /// Rules aren't part of what is stored.
    @Test func rulesChangeWithoutAMigration() async throws {
        enum Before {
            final class RuleShelf: Object {
                @Persisted(primaryKey: true) var name: String
                @Persisted var node: RuleLine?
            }
        }
        enum After {
            final class RuleShelf: Object {
                @Persisted(primaryKey: true) var name: String
                @Persisted(onDelete: .cascade) var node: RuleLine?
            }
        }
        let classes: [ObjectBase.Type] = [RuleLine.self, RulePlace.self, RuleCustomer.self]
        let others: [ObjectBase.Type] = [RuleOrder.self]
        var realm = try await Realm.open(
            folder.configuration("test.realm", classes + others + [Before.RuleShelf.self]))
        try await realm.write { tx in
            for name in ["a", "b"] {
                try tx.create(Before.RuleShelf.self, value: ["name": name, "node": ["text": name]])
            }
            tx.delete(tx.objects(Before.RuleShelf.self).where { $0.name == "a" })
            expectEqual(tx.objects(RuleLine.self).count, 2)
        }
        await realm.close()
        realm = try await Realm.open(
            folder.configuration("test.realm", classes + others + [After.RuleShelf.self]))
        try await realm.write { tx in
            tx.delete(tx.objects(After.RuleShelf.self))
            expectEqual(tx.objects(RuleLine.self).map(\.text), ["a"])
        }
        await realm.close()
    }

    @Test func embeddedObjectHasNoLinkThatCascades() async throws {
        let error = await realmError {
            try await Realm.open(
                folder.configuration(
                    "test.realm",
                    [RuleBadOwner.self, RuleBadPart.self, RuleNode.self, RulePart.self]
                ))
        }
        expectEqual(error?.code, .invalidInput)
        expectEqual(error?.message.contains("RuleBadPart.node has the delete rule cascade"), true)
    }
}
