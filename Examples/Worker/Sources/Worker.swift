import ArgumentParser
import Foundation
import Regnum
import RegnumWorkers

struct Worker: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker",
        abstract: "Makes thumbnails in the background, in processes that share one realm.",
        subcommands: [Enqueue.self, Work.self, Watch.self, ReportRuns.self])

    @Option(name: .customLong("realm"), help: "The realm's directory, created if missing.")
    var path = "worker.realm"

    func validate() throws {
        if path.isEmpty { throw ValidationError("--realm needs a path.") }
    }

    /// Opens the realm, passes it to `body`, and closes it even if `body` throws.
    func withRealm(_ body: (Realm) async throws -> Void) async throws {
        var configuration = Realm.Configuration(location: .file(URL(filePath: path)))
        configuration.objectTypes = [Thumbnail.self] + Workers.models
        let realm = try await Realm.open(configuration)
        do {
            try await body(realm)
        } catch {
            await realm.close()
            throw error
        }
        await realm.close()
    }
}

@main
enum Program {
    static func main() async {
        // A write to a closed pipe fails with EPIPE instead.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try Worker.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch is OutputClosed {
            // Nobody is left to print for.
        } catch let failure as Failure {
            stop(failure.description)
        } catch let error as Realm.Error {
            stop(error.message)
        } catch {
            // Help and version exit with 0, wrong usage with 64.
            Worker.exit(withError: error)
        }
    }

    private static func stop(_ message: String) -> Never {
        try? FileHandle.standardError.write(contentsOf: Data("worker: \(message)\n".utf8))
        exit(1)
    }
}

/// An error with a message for the user.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// The failure of a system call, with the error in `errno`.
    static func system(_ what: String) -> Failure {
        Failure("\(what): \(String(cString: strerror(errno))).")
    }
}

/// Throws a `ValidationError` unless a number is in a range.
func require<N: Comparable>(_ number: N, _ range: ClosedRange<N>, _ name: String) throws {
    if range.contains(number) { return }
    throw ValidationError("\(name) must be from \(range.lowerBound) to \(range.upperBound).")
}
