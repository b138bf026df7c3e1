import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RealmOracle
@testable import RegnumTestModels

/// Errors that concern a class: each names the class, the property, and the value with its type.
@Suite struct ErrorCodeTests {
    private struct Case {
        let code: Realm.Error.Code
        let className: String
        let property: String?
        let key: String?
        /// The parts of the message that describe the value.
        let fragments: [String]
        let error: Realm.Error?
    }

    // Covers 12.29, .deletionDenied, .duplicatePrimaryKey, .invalidInput, .invalidQuery,
    // Covers .schemaMismatch
    @Test func errorsOfModelsNameClassPropertyAndValue() async throws {
        for test in try await mismatches() + values() + deletions() + queries() {
            let place: Comment = "\(test.code): \(test.error.map { "\($0)" } ?? "nothing thrown")"
            expectEqual(test.error?.code, test.code, place)
            expectEqual(test.error?.className, test.className, place)
            expectEqual(test.error?.property, test.property, place)
            if let key = test.key { expectEqual(test.error?.key, key, place) }
            let message = test.error?.message ?? ""
            expectTrue(message.contains(test.className), place)
            if let property = test.property { expectTrue(message.contains(property), place) }
            for text in test.fragments { expectTrue(message.contains(text), place) }
        }
    }

    private func mismatches() async throws -> [Case] {
        let realm = try await Realm.temporary()
        try await realm.write { try $0.add(ErrorCodeFirst.Item()) }
        var mismatch: Realm.Error?
        do {
            _ = try LaterProgram.core(of: realm, [ErrorCodeLater.Item.self])
        } catch {
            mismatch = error
        }
        return [
            Case(
                code: .schemaMismatch, className: "Item", property: "text", key: nil,
                fragments: ["declared as Int", "stored as String"], error: mismatch)
        ]
    }

    private func values() async throws -> [Case] {
        let realm = try await Realm.temporary([AtlasIntHolder.self])
        func error(_ body: @escaping @Sendable (Transaction) throws -> Void) async -> Realm.Error? {
            await realmError {
                try await realm.write { tx in
                    try tx.create(AtlasIntHolder.self, value: ["number": 1])
                    try body(tx)
                }
            }
        }
        let name = "AtlasIntHolder"
        return [
            Case(
                code: .invalidValue, className: name, property: "one", key: nil,
                fragments: ["is of type Int", "\"x\" (String)"],
                error: await error {
                    try $0.create(AtlasIntHolder.self, value: ["number": 2, "one": "x"])
                }),
            Case(
                code: .invalidInput, className: name, property: "two", key: nil,
                fragments: ["AtlasIntHolder has no property \"two\""],
                error: await error {
                    try $0.objects(AtlasIntHolder.self).setValue(1, forKey: "two")
                }),
            Case(
                code: .duplicatePrimaryKey, className: name, property: "number", key: "1",
                fragments: ["1"],
                error: await error { try $0.create(AtlasIntHolder.self, value: ["number": 1]) }),
        ]
    }

    private func deletions() async throws -> [Case] {
        let realm = try await Realm.temporary(ruleClasses)
        try await realm.write { tx in
            let ann = RuleCustomer(value: ["name": "Ann"])
            try tx.add(ann)
            try tx.create(RuleOrder.self, value: ["number": 1, "customer": ann])
        }
        let error = await realmError {
            try await realm.write { $0.delete($0.objects(RuleCustomer.self)) }
        }
        return [
            Case(
                code: .deletionDenied, className: "RuleOrder", property: "customer", key: "1",
                fragments: ["RuleCustomer \"Ann\"", "RuleOrder 1"], error: error)
        ]
    }

    private func queries() async throws -> [Case] {
        let realm = try await Realm.temporary(ruleClasses)
        let other = try await Realm.temporary(ruleClasses)
        try await other.write { try $0.add(RuleCustomer(value: ["name": "Bo"])) }
        let bo = try requireValue(other.snapshot().object(RuleCustomer.self, forPrimaryKey: "Bo"))
        let error = await realmError {
            try await realm.read { $0.objects(RuleOrder.self).where { $0.customer == bo }.count }
        }
        return [
            Case(
                code: .invalidQuery, className: "RuleCustomer", property: nil, key: nil,
                fragments: ["was given a RuleCustomer from the realm"], error: error)
        ]
    }
}

private enum ErrorCodeFirst {
    final class Item: Object {
        @Persisted var text: String
    }
}

private enum ErrorCodeLater {
    final class Item: Object {
        @Persisted var text: Int
    }
}
