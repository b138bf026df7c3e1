import FoundationEssentials
import RegnumEngine

@testable import Regnum

/// A second program on the realm of a first one: its own classes for the same content. Within one
/// process, two classes with the same name can't be registered with one realm, as happens in a
/// rolling deployment.
enum LaterProgram {
    static func core(
        of realm: Realm, _ types: [ObjectBase.Type]? = nil
    ) throws(Realm.Error) -> Realm {
        var configuration = realm.configuration
        configuration.objectTypes = types
        let core = RealmCore(realm.core.coordinator, configuration)
        if let problem = core.schemaProblems(in: core.coordinator.published.schema) {
            throw problem
        }
        return Realm(core)
    }
}

extension LaterProgram {
    /// Opens a realm that keeps no summaries of its commits, as if every consumer were too slow, so
    /// that streams compare two versions instead. In memory, or in a directory.
    static func withoutSummaries(
        _ types: [ObjectBase.Type], at directory: URL? = nil
    ) async throws -> Realm {
        let identifier = "bare-\(UUID())"
        let place: RealmPlace =
            if let directory { .directory(path: directory.path) } else {
                .memory(identifier: identifier)
            }
        var options = CoordinatorOptions(place: place)
        options.maximumSummaryByteCount = 0
        let coordinator = try await Coordinator.open(options)
        let configuration = Realm.Configuration(
            location: directory.map { .file($0) } ?? .inMemory(identifier: identifier),
            objectTypes: types)
        return Realm(RealmCore(coordinator, configuration))
    }
}
