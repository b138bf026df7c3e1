@testable import Regnum
import RegnumEngine

/// A second program on the realm of a first one: its own classes on the same content. In one
/// process two classes of one name cannot join the same realm, as they do in a rolling deployment.
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
