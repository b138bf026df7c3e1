public import Hummingbird
public import Logging
import NIOCore

extension Board {
    /// Returns a server for the board.
    ///
    /// - Parameters:
    ///   - heartbeat: The quiet time after which an event stream writes a comment.
    ///   - onRunning: Called with the port once the server accepts connections.
    public func application(
        hostname: String = "127.0.0.1", port: Int = 0, heartbeat: Duration = .seconds(15),
        logger: Logger, onRunning: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let router = Router()
        router.add(middleware: RequestLog())
        Routes(board: self, heartbeat: heartbeat).add(to: router)
        return Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname(hostname, port: port)),
            onServerRunning: { channel in onRunning(channel.localAddress?.port ?? port) },
            logger: logger)
    }
}
