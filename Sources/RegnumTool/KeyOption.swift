import ArgumentParser
import Foundation
import Regnum

/// The options for the keys of an encrypted realm, which commands have in common.
struct KeyOption: ParsableArguments {
    @Option(
        name: .customLong("key-file"),
        help: "A file with the key of an encrypted realm, which is its 32 or 64 bytes.",
        transform: url)
    var file: URL?

    @Option(
        name: .customLong("former-key-file"),
        help: "A file with a key that the realm had before. Can be repeated.", transform: url)
    var formerFiles: [URL] = []

    /// Returns the key; `nil` if none was given.
    func key() throws -> Data? { try file.map(read) }

    /// Returns the keys that the realm had before.
    func formerKeys() throws -> [Data] { try formerFiles.map(read) }

    private func read(_ file: URL) throws -> Data {
        let key: Data
        do {
            // A wrong path may lead to a file of any size.
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            key = try handle.read(upToCount: 65) ?? Data()
        } catch {
            throw Realm.Error(
                .fileAccess, "The key file \"\(file.path)\" can't be read.", path: file.path,
                underlying: error)
        }
        guard key.count == 32 || key.count == 64 else {
            throw Realm.Error(
                .invalidInput,
                "\"\(file.path)\" isn't a key file: a key has 32 or 64 bytes, without a line "
                    + "break.",
                path: file.path)
        }
        return key
    }
}
