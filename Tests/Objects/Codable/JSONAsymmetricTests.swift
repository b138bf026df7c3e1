import Foundation
import RegnumJSON
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Asymmetric objects waiting to be drained are part of an export, and of the tool's output.
@Suite struct JSONAsymmetricTests {
    private static let types: [ObjectBase.Type] = [AsymReading.self, AsymPlace.self]

    @Test func waitingObjectsComeBack() async throws {
        let realm = try await Realm.temporary(Self.types)
        try await realm.write { tx in
            for number in 0..<5 {
                try tx.create(
                    AsymReading.self,
                    value: [
                        "number": number, "celsius": Double(number) / 2, "tags": ["a", "b"],
                        "levels": ["x": number], "place": ["x": 1.5],
                        "others": [["x": 2.5], ["x": 3.5]],
                    ] as [String: Any])
            }
        }
        let snapshot = realm.snapshot()
        let text = try await snapshot.json()
        expectTrue(text.contains("\"asymmetric\":true"))
        expectEqual(text.split(separator: "\n").count, 6)
        let stored = try requireValue(
            snapshot.storedClasses.first { $0.schema.name == "AsymReading" })
        expectTrue(stored.objectCount == 5 && stored.schema.kindText == "asymmetric objects")
        try await expectEqual(snapshot.exportJSON(classes: ["AsymReading"]) { _ in }, 5)
        for types in [Self.types, nil] {
            let other = try await Realm.temporary(types)
            let summary = try await other.importJSON(text: text)
            expectEqual(summary.objectCount, 5)
            let again = try await other.snapshot().json()
            expectEqual(
                again.split(separator: "\n").dropFirst().sorted(),
                text.split(separator: "\n").dropFirst().sorted())
        }
    }
}
