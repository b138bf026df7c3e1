import ArgumentParser
import Foundation
import Regnum

struct Chat: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "A chat between processes that share one realm.",
        subcommands: [
            Send.self, Tail.self, Join.self, Read.self, Edit.self, Delete.self, Rooms.self,
            SetTopic.self, DeleteRoom.self, Import.self, Summarize.self,
        ])

    @Option(
        name: .customLong("realm"),
        help: ArgumentHelp(
            "The realm's directory, created if missing (default: chat.realm in the data folder).",
            valueName: "path"))
    var realmPath: String?

    func validate() throws {
        if realmPath?.isEmpty == true { throw ValidationError("--realm needs a path.") }
    }

    /// For how many days a tail can resume from a cursor.
    static let historyDays = 7

    /// Opens the realm, passes it to `body`, and closes it even if `body` throws.
    func withRealm(_ body: (Realm) async throws -> Void) async throws {
        var configuration = Realm.Configuration(
            location: .file(try realmURL()),
            objectTypes: [Room.self, Message.self, Place.self])
        configuration.historyRetention = .init(age: .seconds(Self.historyDays * 86_400))
        let realm = try await Realm.open(configuration)
        do {
            try await body(realm)
        } catch {
            await realm.close()
            throw error
        }
        await realm.close()
    }

    /// The location of the realm. The folders of the default location are created.
    func realmURL() throws -> URL {
        if let realmPath { return URL(fileURLWithPath: realmPath) }
        let environment = ProcessInfo.processInfo.environment
        let home = FileManager.default.homeDirectoryForCurrentUser
        let data =
            environment["XDG_DATA_HOME"].flatMap {
                $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil
            }
            ?? home.appendingPathComponent(".local/share")
        let folder = data.appendingPathComponent("regnum-chat")
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw ChatFailure("Can't create the folder \(folder.path).")
        }
        return folder.appendingPathComponent("chat.realm")
    }
}

@main
enum Program {
    static func main() {
        Interruption.block()
        Task.detached { exit(await run()) }
        Interruption.wait()
    }

    /// Runs the command line and returns the exit code.
    private static func run() async -> CInt {
        do {
            var command = try Chat.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return 0
        } catch is OutputClosed {
            return 0
        } catch let failure as ChatFailure {
            printToStandardError("chat: \(failure.sentence)")
            return 1
        } catch let error as Realm.Error {
            printToStandardError("chat: \(error.message)")
            return 1
        } catch {
            // Help and version exit with 0, wrong usage with 64.
            Chat.exit(withError: error)
        }
    }
}

/// Throws a `ValidationError` if an argument is empty.
func requireText(_ text: String, _ what: String) throws {
    if text.isEmpty { throw ValidationError("\(what) must not be empty.") }
}
