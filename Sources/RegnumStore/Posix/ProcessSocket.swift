internal import CRegnum
internal import Glibc

/// Unix sockets of a process, without files, at which other processes of the same user, or of root,
/// can ask for its state. Whoever connects gets an answer without having to send anything.
package enum ProcessSocket {
    /// The maximum number of bytes of an answer. The buffer of a socket has more.
    package static let maximumByteCount = 60_000

    private static func name(_ subject: String, _ process: UInt32) -> String {
        "regnum-\(subject)-\(process)"
    }

    /// Opens the socket of this process for questions about a subject. Returns its descriptor, or
    /// the negative error number.
    package static func listen(_ subject: String) -> Int32 {
        cregnum_listen(name(subject, UInt32(getpid())))
    }

    /// The result of `accept`.
    package enum Accepted: Sendable {
        case connection(Int32)
        /// It was from another user, or has been closed.
        case refused
        /// No connection is pending.
        case none
        /// The next one stays pending, for example because the process has no more descriptors.
        case failed
    }

    /// Accepts the next connection to such a socket.
    package static func accept(_ listener: Int32) -> Accepted {
        let connection = cregnum_accept(listener)
        if connection >= 0 { return .connection(connection) }
        return switch connection {
        case -ECONNABORTED: .refused
        case -EAGAIN: .none
        default: .failed
        }
    }

    /// Answers a connection and closes it. Never blocks.
    ///
    /// A zero byte ends the answer: without it, a process that couldn't send it, or refuses to,
    /// would seem to have an empty one.
    package static func answer(_ connection: Int32, _ bytes: [UInt8]) {
        let message = bytes + [0]
        _ = repeated { send(connection, message, message.count, Int32(MSG_NOSIGNAL)) }
        // closing isn't enough if the process has just been forked
        shutdown(connection, Int32(SHUT_WR))
        close(connection)
    }

    /// Asks processes at the same time, and returns their answers; `nil` for one that has no such
    /// socket, as in another container, or doesn't answer in full and in time, for example because
    /// it is stopped.
    ///
    /// - Parameter timeoutNanoseconds: the time for all of them together.
    package static func ask(
        _ processes: [UInt32], _ subject: String, timeoutNanoseconds: UInt64 = 1_000_000_000
    ) async -> [[UInt8]?] {
        let end = IOPool.now() + timeoutNanoseconds
        return await withTaskGroup(of: (Int, [UInt8]?).self) { group in
            for (index, process) in processes.enumerated() {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        IOPool.elastic.submit {
                            let answer = ask(process, subject, until: end)
                            continuation.resume(returning: (index, answer))
                        }
                    }
                }
            }
            var answers = [[UInt8]?](repeating: nil, count: processes.count)
            for await (index, answer) in group { answers[index] = answer }
            return answers
        }
    }

    /// Blocks until the process has answered, but not longer than until `end`.
    private static func ask(_ process: UInt32, _ subject: String, until end: UInt64) -> [UInt8]? {
        var connection = cregnum_connect(name(subject, process), process)
        while connection == -EAGAIN, IOPool.now() < end {  // many others are asking
            usleep(2_000)
            connection = cregnum_connect(name(subject, process), process)
        }
        guard connection >= 0 else { return nil }
        defer { close(connection) }
        var answer: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while answer.count <= maximumByteCount + 1 {
            let now = IOPool.now()
            guard now < end else { return nil }
            var event = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            let milliseconds = Int32((end - now) / 1_000_000 + 1)
            guard repeated({ poll(&event, 1, milliseconds) }) >= 0 else { return nil }
            let count = repeated { read(connection, &part, part.count) }
            if count == 0 { return answer.popLast() == 0 ? answer : nil }
            if count > 0 { answer += part[..<count] } else if count != -EAGAIN { return nil }
        }
        return nil
    }
}
