import Foundation
import Glibc
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// Another user opens the realm in a child process: the error names the path, and nothing is
/// modified. Needs root to change the user.
@Suite(.enabled(if: OtherUser.exists, "needs root and setpriv to become another user"))
struct OpenPermissionTests {
    private func make(_ name: String, _ mode: Int, _ place: RealDirectory) throws -> String {
        let path = place.path + "/" + name
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false,
            attributes: [.posixPermissions: mode])
        return path
    }

    private func listing(_ path: String) throws -> [String: [FileAttributeKey: String]] {
        var listing: [String: [FileAttributeKey: String]] = [:]
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
            listing[name] = [.size: "\(attributes[.size]!)"]
            listing[name]?[.modificationDate] = "\(attributes[.modificationDate]!)"
        }
        return listing
    }

    private func expectRefusal(_ path: String, in parent: String) throws {
        let before = try listing(parent)
        let inside = try? listing(path)
        let output = try OtherUser.open(path)
        expectTrue(output.hasPrefix("filePermissionDenied: "), "\(output)")
        expectTrue(output.contains(path), "\(output)")
        try expectEqual(listing(parent), before)
        let insideNow = try? listing(path)
        expectEqual(insideNow, inside)
    }

    // Covers 12.3, .filePermissionDenied
    @Test func aDirectoryWithoutPermissionIsNamed() throws {
        let place = try RealDirectory(inMemory: false)
        try expectRefusal(try make("closed.realm", 0o700, place), in: place.path)
    }

    @Test func anEmptyDirectoryThatCannotBeWrittenIsNamed() throws {
        let place = try RealDirectory(inMemory: false)
        try expectRefusal(try make("empty.realm", 0o555, place), in: place.path)
    }

    @Test func aRealmOfAnotherUserIsNamed() throws {
        let place = try RealDirectory(inMemory: false)
        let opened = try OpenPlace(.real)
        _ = try opened.makeRealm()
        let path = place.path + "/other.realm"
        try FileManager.default.copyItem(atPath: opened.path, toPath: path)
        for mode in [0o700, 0o755, 0o777] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            try expectRefusal(path, in: place.path)
        }
    }

    // Covers 12.3
    @Test func aParentThatCannotBeWrittenIsNamed() throws {
        let place = try RealDirectory(inMemory: false)
        try expectRefusal(place.path + "/new.realm", in: place.path)
    }

    /// A realm that is readable by everybody and writable by nobody.
    // Covers 5.88
    @Test func aRealmThatMayOnlyBeReadIsOpenedForReading() throws {
        let place = try RealDirectory(inMemory: false)
        let made = try OpenPlace(.real)
        _ = try made.makeRealm(commits: 3)
        let path = place.path + "/handed out.realm"
        try FileManager.default.copyItem(atPath: made.path, toPath: path)
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o444], ofItemAtPath: path + "/" + name)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: path)
        let before = try listing(path)
        try expectEqual(OtherUser.open(path, isReadOnly: true), "opened at version 3")
        try expectTrue(OtherUser.open(path).hasPrefix("filePermissionDenied: "))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o400], ofItemAtPath: path + "/log-0-0")
        let refused = try OtherUser.open(path, isReadOnly: true)
        expectTrue(refused.hasPrefix("filePermissionDenied: ") && refused.contains("log-0-0"))
        try expectEqual(listing(path), before)
    }

    @Test func theOtherUserCanOpenItsOwnRealm() throws {
        let place = try RealDirectory(inMemory: false)
        let path = try make("open", 0o777, place) + "/own.realm"
        try expectEqual(OtherUser.open(path), "opened at version 0")
    }

    /// Creating a realm syncs its parent directory, for which that would have to be opened.
    @Test func aRealmIsMadeWhereTheParentCannotBeListed() throws {
        let place = try RealDirectory(inMemory: false)
        let open = try make("open", 0o700, place)
        try #require(chmod(open, 0o733) == 0)
        try expectEqual(OtherUser.open(open + "/own.realm"), "opened at version 0")

        let closed = try make("closed", 0o700, place)
        let path = try make("closed/empty.realm", 0o700, place)
        try #require(chown(path, 65534, 65534) == 0)
        try #require(chmod(closed, 0o711) == 0)
        try expectEqual(OtherUser.open(path), "opened at version 0")
    }

    /// Root makes files in the directory of another user, for example when it compacts a realm.
    @Test func whatRootMakesIsOpenedByTheOwnerOfTheDirectory() throws {
        let place = try RealDirectory(inMemory: false)
        for mode in [0o700, 0o770] as [mode_t] {
            let path = try make("\(mode).realm", 0o700, place)
            try #require(chown(path, 65534, 4321) == 0)
            try #require(chmod(path, mode) == 0)
            _ = try RealmLog.open(PosixFileSystem.shared, path: path, options: StoreOptions()) {
                (_) throws(StoreError) in
            }
            try expectEqual(OtherUser.open(path), "opened at version 0")
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            expectTrue(names.contains("LOCK") && names.contains("log-0-0"))
            for name in names {
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: path + "/" + name)
                expectEqual(attributes[.ownerAccountID] as? Int, 65534, "\(name)")
                expectEqual(
                    attributes[.posixPermissions] as? Int, mode == 0o770 ? 0o660 : 0o600,
                    "\(name)")
            }
        }
    }

    /// The group that a file has instead of the directory's gets no permission.
    @Test func filesWhoseGroupCannotBeAssignedAreForTheirUserOnly() throws {
        let place = try RealDirectory(inMemory: false)
        let path = try make("shared.realm", 0o775, place)
        try #require(chmod(path, 0o775) == 0)
        try #require(chown(path, 65534, 4321) == 0)
        try expectEqual(OtherUser.open(path), "opened at version 0")
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        expectTrue(names.contains("LOCK"))
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
            expectEqual(attributes[.posixPermissions] as? Int, 0o600, "\(name)")
        }
    }
}

/// Runs `RegnumOpenChild` as an unprivileged user.
enum OtherUser {
    private static let tool = "/usr/bin/setpriv"

    static var exists: Bool {
        getuid() == 0 && FileManager.default.isExecutableFile(atPath: tool)
    }

    /// Returns the output of the child.
    static func open(_ path: String, isReadOnly: Bool = false) throws -> String {
        let built = try BuiltProduct.file("RegnumOpenChild")
        // A location that is accessible to everybody: the build folder may be in a private one.
        let place = try RealDirectory(inMemory: false)
        let child = place.path + "/child"
        // Copied by a separate process: a program can't be executed while any process has it open
        // for writing, and a process started concurrently by another test would inherit the
        // descriptor.
        let copying = try Process.run(
            URL(fileURLWithPath: "/bin/cp"), arguments: [built.path, child])
        copying.waitUntilExit()
        try #require(copying.terminationStatus == 0, "the child could not be copied")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: tool)
        process.arguments = [
            "--reuid=65534", "--regid=65534", "--clear-groups", child, path,
        ]
        if isReadOnly { process.arguments?.append("read") }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(
            process.terminationStatus == 0, "the child could not run as another user")
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
}
