import Dispatch
import Glibc

/// A Unix domain socket. Accepting, reading and sending never block.
struct LocalSocket: Sendable {
    let descriptor: Int32

    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ operation: String, _ number: Int32) {
            description = "\(operation): \(String(cString: strerror(number)))"
        }
    }

    enum Direction {
        case reading
        case writing
    }

    /// Reports when any of the sockets is ready.
    private static let queue = DispatchQueue(label: "sockets")

    /// Creates a socket to which clients can connect, in place of one of a killed process.
    init(listeningAt path: String) throws {
        unlink(path)
        descriptor = try Self.make(at: path) { descriptor, address, count in
            fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 && bind(descriptor, address, count) == 0
                && listen(descriptor, 4_096) == 0
        }
    }

    /// Connects to a server; `nil` if none is there. Blocks while too many others want to connect.
    init?(connectingTo path: String) throws {
        var isRefused = false
        do {
            descriptor = try Self.make(at: path) { descriptor, address, count in
                let isConnected = connect(descriptor, address, count) == 0
                isRefused = !isConnected && [ECONNREFUSED, ENOENT].contains(errno)
                return isConnected
            }
        } catch {
            if isRefused { return nil }
            throw error
        }
    }

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    private static func make(
        at path: String, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw Failure(path, ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
        let descriptor = socket(AF_UNIX, Int32(kind), 0)
        guard descriptor >= 0 else { throw Failure("socket", errno) }
        let isMade = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if isMade { return descriptor }
        let number = errno
        Glibc.close(descriptor)
        throw Failure(path, number)
    }

    /// Accepts a client; `nil` if none waits. Its buffer takes only a few messages, so that it is
    /// soon full if the client doesn't read.
    func accept() throws -> LocalSocket? {
        let client = Glibc.accept(descriptor, nil, nil)
        if client >= 0 {
            var byteCount: Int32 = 4_096
            setsockopt(
                client, SOL_SOCKET, SO_SNDBUF, &byteCount, socklen_t(MemoryLayout<Int32>.size))
            return LocalSocket(client)
        }
        if [EAGAIN, EINTR, ECONNABORTED].contains(errno) { return nil }
        throw Failure("accept", errno)
    }

    /// Returns up to 1,024 bytes that have arrived, none at the end; `nil` if there are none yet.
    func read() -> [UInt8]? {
        var number: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: 1_024) { buffer, count in
            let result = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            if result < 0 { number = errno }
            count = max(result, 0)
        }
        return number == EAGAIN || number == EINTR ? nil : bytes
    }

    /// Sends the beginning of the bytes, and returns how many; `nil` if the other side is gone.
    func send(_ bytes: ArraySlice<UInt8>) -> Int? {
        let (count, number) = bytes.withUnsafeBytes { buffer in
            let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
            let count = Glibc.send(descriptor, buffer.baseAddress, buffer.count, flags)
            return (count, errno)
        }
        if count >= 0 { return count }
        return number == EAGAIN || number == EINTR ? 0 : nil
    }

    /// Waits until the socket can be read, or written; it can also when the other side is gone.
    /// Returns early if the task is cancelled.
    func wait(for direction: Direction) async {
        // Guard: a source may be used on any thread.
        nonisolated(unsafe) let source: any DispatchSourceProtocol =
            switch direction {
            case .reading:
                DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: Self.queue)
            case .writing:
                DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: Self.queue)
            }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                source.setEventHandler { source.cancel() }
                // From here on, the source doesn't use the descriptor, which may be closed.
                source.setCancelHandler { continuation.resume() }
                source.activate()
            }
        } onCancel: {
            source.cancel()
        }
    }

    func close() { Glibc.close(descriptor) }
}
