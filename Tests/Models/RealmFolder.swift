import Foundation
import Regnum

/// A directory for the realms of one test, removed with its last reference.
final class RealmFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "regnum-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The URL of an existing or future realm with that name.
    subscript(_ name: String) -> URL { url.appending(path: name) }

    func configuration(
        _ name: String = "test.realm", _ types: [ObjectBase.Type]? = nil
    ) -> Realm.Configuration {
        Realm.Configuration(location: .file(self[name]), objectTypes: types)
    }

    /// Creates a closed realm with these rooms.
    func makeRealm(_ name: String = "test.realm", rooms: [String]) async throws {
        let realm = try await Realm.open(configuration(name))
        try await realm.write { tx in for room in rooms { try tx.add(Room(room)) } }
        await realm.close()
    }

    func names(in name: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: self[name].path).sorted()
    }

    /// Returns everything that a change to a directory would affect: names, bytes and modification
    /// times.
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

/// Returns the error that `body` throws, if it is a `Realm.Error`.
func realmError<R>(_ body: () async throws -> R) async -> Realm.Error? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? Realm.Error
    }
}
