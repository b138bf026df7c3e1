import ArgumentParser
import BoardKit
import Foundation
import Hummingbird
import Logging
import Regnum
import ServiceLifecycle
import UnixSignals

@main
struct Server: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "board",
        abstract: "A board with rooms and messages, over HTTP.",
        discussion: """
            Any number of servers can use one realm, on one machine. SIGTERM and Ctrl-C end the \
            open streams, finish the running requests and close the realm.
            """)

    @Option(help: ArgumentHelp("The realm's directory, created if missing.", valueName: "path"))
    var realm: String
    @Option(help: "The port; 0 means any free one.") var port = 8080
    @Option(help: "The address to listen at.") var hostname = "127.0.0.1"

    func validate() throws {
        if realm.isEmpty { throw ValidationError("--realm needs a path.") }
        guard 0...65_535 ~= port else { throw ValidationError("--port must be at most 65535.") }
    }

    func run() async throws {
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        let logger = Logger(label: "board")
        raiseDescriptorLimit()
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: realm)), objectTypes: Board.objectTypes)
        configuration.logger = logger
        do {
            let realm = try await Realm.open(configuration)
            let result = await serve(Board(realm: realm), logger)
            // After the last response: a request that is still running can read and write.
            await realm.close()
            logger.info("closed")
            try result.get()
        } catch {
            logger.critical("the server ended", metadata: ["error": "\(error)"])
            throw ExitCode.failure
        }
    }

    /// Allows as many open files as the system lets this process have: each open stream takes one,
    /// and the usual limit is 1,024.
    private func raiseDescriptorLimit() {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }

    /// Serves until a signal arrives, and then until the running requests have ended.
    private func serve(_ board: Board, _ logger: Logger) async -> Result<Void, any Error> {
        let hostname = hostname
        let application = board.application(
            hostname: hostname, port: port, logger: logger,
            onRunning: { port in
                print("http://\(hostname):\(port)")
                fflush(nil)
            })
        var configuration = ServiceGroupConfiguration(
            services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        // A client that doesn't read its stream can't hold up the shutdown for longer than this.
        configuration.maximumGracefulShutdownDuration = .seconds(10)
        let group = ServiceGroup(configuration: configuration)
        do {
            return .success(try await group.run())
        } catch {
            return .failure(error)
        }
    }
}
