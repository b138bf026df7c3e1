import Foundation
import Regnum

/// A folder for the realms of one test, gone with its last reference.
final class RealmFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "regnum-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Where a realm of that name is, or would be.
    subscript(_ name: String) -> URL { url.appending(path: name) }

    func configuration(
        _ name: String = "test.realm", _ types: [ObjectBase.Type]? = nil
    ) -> Realm.Configuration {
        Realm.Configuration(location: .file(self[name]), objectTypes: types)
    }

    /// A closed realm with these rooms.
    func makeRealm(_ name: String = "test.realm", rooms: [String]) async throws {
        let realm = try await Realm.open(configuration(name))
        try await realm.write { tx in for room in rooms { try tx.add(Room(room)) } }
        await realm.close()
    }

    func names(in name: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: self[name].path).sorted()
    }

    /// All that a change to a folder would change: names, bytes, and when what was written last.
    func state(of name: String = "test.realm") throws -> [String: String] {
        var state: [String: String] = [:]
        for file in try names(in: name) + ["."] {
            var status = stat()
            guard lstat(self[name].path + "/" + file, &status) == 0 else { continue }
            let content =
                file == "." ? nil : try? Data(contentsOf: self[name].appending(path: file))
            state[file] =
                "\(status.st_ino) \(status.st_size) \(status.st_mode) \(status.st_mtim) "
                + "\(status.st_ctim) \(content?.hashValue ?? 0)"
        }
        return state
    }
}

/// The error that `body` throws, if it is one of the library's.
func realmError<R>(_ body: () async throws -> R) async -> Realm.Error? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? Realm.Error
    }
}
