import Foundation
import Regnum
import RegnumJSON
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Values of any type and asymmetric objects: such an object can't contain links in its values, and
/// no value can link to it.
@Suite struct AsymAnyTests {
    private func open() async throws -> Realm {
        try await Realm.temporary([
            AsymPage.self, AsymSheet.self, AsymShelf.self, AsymSensor.self,
        ])
    }

    /// Returns the error of creating a page next to a valid one; only the valid one is delivered.
    private func error(
        _ values: @escaping @Sendable (Transaction) throws -> [String: Any?]
    ) async throws -> Realm.Error? {
        let realm = try await open()
        let error = try await realm.write { tx -> Realm.Error? in
            try tx.create(AsymPage.self, value: ["number": 1])
            do {
                try tx.create(AsymPage.self, value: try values(tx))
                return nil
            } catch {
                return error as? Realm.Error
            }
        }
        let inbox = AsymInbox()
        try await realm.drain(AsymPage.self, untilEmpty: true) { inbox.take($0.map(\.number)) }
        expectEqual(inbox.numbers, [1])
        return error
    }

    @Test func valuesOfAnyTypeAreDelivered() async throws {
        let realm = try await open()
        try await realm.write { tx in
            try tx.create(
                AsymPage.self,
                value: [
                    "number": 2, "content": ["k": [1, "x"] as [Any]], "list": [1, [true]],
                    "map": ["a": 0.5], "sheet": ["value": [3]],
                ] as [String: Any?])
        }
        try await realm.drain(AsymPage.self, untilEmpty: true) { pages in
            expectEqual(pages[0].content, .dictionary(["k": .list([.int(1), .string("x")])]))
            expectEqual(Array(pages[0].list), [.int(1), .list([.bool(true)])])
            expectEqual(pages[0].map["a"], .double(0.5))
            expectEqual(pages[0].sheet?.value, .list([.int(3)]))
        }
    }

    // Covers 14.1, .invalidValue
    @Test(arguments: ["new", "stored"])
    func linkInAValueOfAnAsymmetricObjectIsRefused(which: String) async throws {
        let sensor = { @Sendable (tx: Transaction) throws -> AsymSensor in
            let sensor = AsymSensor(value: ["name": "s"])
            if which == "stored" { try tx.add(sensor) }
            return sensor
        }
        let cases: [(String, @Sendable (Transaction) throws -> Any?)] = [
            ("content", { try sensor($0) }),
            ("content", { AnyRealmValue.object(try sensor($0)) }),
            ("content", { [1, ["k": try sensor($0)]] as [Any] }),
            ("list", { [1, try sensor($0)] as [Any] }),
            ("list", { [["k": [try sensor($0)]]] as [Any] }),
            ("set", { [try sensor($0)] as [Any] }),
            ("map", { ["a": 1, "b": try sensor($0)] as [String: Any] }),
            ("map", { ["b": [try sensor($0)]] as [String: Any] }),
        ]
        for (property, value) in cases {
            let error = try await error { ["number": 2, property: try value($0)] }
            let place = "\(property), \(which)"
            expectEqual(error?.code, .invalidValue, "\(place)")
            expectTrue(error?.className == "AsymPage" && error?.property == property, "\(place)")
            expectEqual(
                error?.message,
                "AsymPage.\(property) was given an AsymSensor: an asymmetric object can "
                    + "hold values and embedded objects, but no links to other objects.", "\(place)"
            )
        }
        // Nested content, too.
        let inner = try await error {
            ["number": 2, "sheet": ["value": [try sensor($0)] as [Any]] as [String: Any]]
        }
        expectEqual(inner?.code, .invalidValue)
        expectTrue(inner?.className == "AsymSheet" && inner?.property == "value")
        // A failed creation adds no sensor.
        let realm = try await open()
        try await realm.write { tx in
            _ = try? tx.create(
                AsymPage.self, value: ["content": AsymSensor(value: ["name": "new"])])
        }
        expectTrue(realm.snapshot().objects(AsymSensor.self).isEmpty)
    }

    // Covers 14.1
    @Test func asymmetricObjectInAValueIsRefused() async throws {
        let realm = try await open()
        let cases: [(String, @Sendable () -> Any?)] = [
            ("content", { AsymPage(value: ["number": 7]) }),
            ("content", { [1, ["k": AsymPage(value: ["number": 7])]] as [Any] }),
            ("list", { [AsymPage(value: ["number": 7])] }),
            ("set", { [AsymPage(value: ["number": 7])] }),
            ("map", { ["k": [AsymPage(value: ["number": 7])]] as [String: Any] }),
        ]
        for (property, value) in cases {
            try await realm.write { tx in
                let shelf = try tx.create(AsymShelf.self, value: ["content": 5])
                var thrown: Realm.Error?
                do {
                    try tx.create(AsymShelf.self, value: [property: value()])
                } catch {
                    thrown = error as? Realm.Error
                }
                expectEqual(thrown?.code, .invalidValue, "\(property)")
                expectTrue(thrown?.className == "AsymShelf" && thrown?.property == property)
                expectEqual(
                    thrown?.message,
                    "AsymShelf.\(property) was given an AsymPage: an asymmetric object "
                        + "cannot be linked to, because it is removed once it is delivered.")
                expectTrue(shelf.content == .int(5) && tx.objects(AsymShelf.self).count == 1)
                tx.delete(shelf)
            }
        }
    }

    /// Imported text may contain asymmetric objects, but no links to them.
    @Test func importedLinksAreRefusedToo() async throws {
        let realm = try await open()
        let link = #"{"object":{"class":"AsymPage","key":1}}"#
        let text = #"{"class":"AsymShelf","key":1,"values":{"content":{"list":[\#(link)]}}}"#
        let error = await realmError {
            try await realm.importJSON(from: AsyncStream { [UInt8](text.utf8) }.prefix(1))
        }
        expectEqual(error?.className, "AsymShelf")
        expectEqual(error?.property, "content")
        expectEqual(error?.message.contains("cannot link to objects of AsymPage"), true)
        expectTrue(realm.isEmpty)
    }
}
