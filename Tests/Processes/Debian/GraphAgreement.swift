import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumDebian

/// Checks that the graph in a realm equals the one in dictionaries: every property, every link,
/// every inverse link.
func expectAgreement(_ snapshot: Snapshot, _ plain: PlainGraph) {
    let packages = snapshot.objects(Package.self)
    expectEqual(packages.count, plain.names.count)
    expectEqual(packages.where { $0.version != nil }.count, plain.requirements.count)
    var differing: [String] = []
    for package in packages {
        let name = package.name
        let requirements = plain.requirements[name] ?? []
        let askers = package.requirements.map { $0.owner.map(\.name) }
        let agrees =
            package.isReal == (plain.requirements[name] != nil)
            && package.dependencies.map(\.text) == requirements.map(\.text)
            && package.dependencies.map { $0.alternatives.map(\.name) } == requirements.map(\.names)
            && package.dependencies.map(\.versions.dictionary) == requirements.map(\.versions)
            && Set(package.provides.map(\.name)) == Set(plain.provided[name] ?? [])
            && package.tags.array == plain.tags[name] ?? []
            && package.fields.dictionary == plain.fields[name] ?? [:]
            && Set(package.providers.map(\.name)) == plain.providers[name] ?? []
            && askers.allSatisfy { $0.count == 1 }
            && Set(askers.joined()) == plain.askers[name] ?? []
        if !agrees { differing.append(name) }
    }
    expectEqual(differing, [])
}

/// Checks the query for the dependents of a package, in all of its forms.
func expectAgreement(_ realm: Realm, _ plain: PlainGraph, dependentsOf name: String) async throws {
    let expected = plain.dependents(of: name)
    let frozen = realm.snapshot().object(Package.self, forPrimaryKey: name)
    expectEqual(frozen.map { dependents(of: $0) }, expected)
    let (confined, direct) = try await realm.read { tx in
        let package = tx.object(Package.self, forPrimaryKey: name)
        let direct = tx.objects(Package.self).where { $0.dependencies.alternatives.name == name }
        return (package.map { dependents(of: $0) }, Set(direct.map(\.name)))
    }
    expectEqual(confined, expected)
    expectEqual(direct, plain.askers[name] ?? [])
}
