import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumDebian

/// The package graph of a small index, compared with dictionaries.
@Suite struct DebianTests {
    private static let types: [ObjectBase.Type] = [Package.self, Dependency.self]

    private func load(_ index: DebianIndex) async throws -> Realm {
        let realm = try await Realm.temporary(Self.types)
        try await realm.load(PackageIndex(Data(index.text.utf8)))
        return realm
    }

    @Test func theSampleAgreesWithPlainSwift() async throws {
        let realm = try await load(.sample)
        let plain = PlainGraph(.sample)
        expectAgreement(realm.snapshot(), plain)
        for name in plain.names {
            try await expectAgreement(realm, plain, dependentsOf: name)
        }
    }

    @Test func theSampleIsWhatItSays() async throws {
        let snapshot = try await load(.sample).snapshot()
        let libc6 = try requireValue(snapshot.object(Package.self, forPrimaryKey: "libc6"))
        // libc6 and libgcc-s1 depend on each other; base-files depends on a virtual package
        // provided by mawk.
        expectEqual(
            dependents(of: libc6).sorted(),
            [
                "adduser", "base-files", "cdebconf", "libc6", "libgcc-s1", "mawk", "postfix",
            ])
        let awk = try requireValue(snapshot.object(Package.self, forPrimaryKey: "awk"))
        expectTrue(!awk.isReal && awk.providers.map(\.name) == ["mawk", "original-awk"])
        let nowhere = try requireValue(snapshot.object(Package.self, forPrimaryKey: "nowhere"))
        expectTrue(!nowhere.isReal && nowhere.providers.isEmpty && nowhere.requirements.count == 1)
    }

    @Test func randomGraphsAgreeWithPlainSwift() async throws {
        var generator = SeededRandom()
        for _ in 0..<8 {
            let index = DebianIndex.random(packageCount: 16, using: &generator)
            let realm = try await load(index)
            let plain = PlainGraph(index)
            expectAgreement(realm.snapshot(), plain)
            for name in plain.names {
                try await expectAgreement(realm, plain, dependentsOf: name)
            }
        }
    }

    @Test func aDeletedPackageLeavesTheGraph() async throws {
        let realm = try await load(.sample)
        try await realm.write { tx in
            tx.delete(try requireValue(tx.object(Package.self, forPrimaryKey: "libc6")))
        }
        let snapshot = realm.snapshot()
        expectNil(snapshot.object(Package.self, forPrimaryKey: "libc6"))
        // Its own dependencies are gone; packages that depended on it have an entry without a link.
        let gcc = try requireValue(snapshot.object(Package.self, forPrimaryKey: "libgcc-s1"))
        expectTrue(gcc.requirements.isEmpty)
        expectEqual(gcc.dependencies.map { $0.alternatives.map(\.name) }, [["gcc-12-base"], []])
    }

    @Test func brokenIndexIsRefused() {
        #expect(throws: IndexFailure.self) {
            try PackageIndex(Data("header\nonly\tthree\tfields\n".utf8))
        }
    }
}
