import Foundation
import Glibc
import Regnum

// The standard streams, unbuffered, so that what was written is never lost.

/// An output stream of the tool.
struct OutputStream: Sendable {
    static let standard = OutputStream(descriptor: STDOUT_FILENO, name: "standard output")
    static let errors = OutputStream(descriptor: STDERR_FILENO, name: "standard error")

    let descriptor: Int32
    let name: String

    /// Writes all bytes. Throws ``Closed`` if the reader has closed the stream, `.ioFailed`
    /// otherwise.
    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: try waitUntilWritable()
            case EPIPE: throw Closed()
            case let number:
                throw Realm.Error(
                    .ioFailed, "Cannot write \(name): \(String(cString: strerror(number))).",
                    errno: number)
            }
        }
    }

    /// Writes a text, with an escape for each control character except line breaks: names and
    /// messages may come from files of others, and control the terminal.
    func write(_ text: String) throws {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where scalar != "\n", .format:
                escaped += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        try write(Array(escaped.utf8))
    }

    /// Writes a value as a line of JSON, or as a text.
    func write(_ value: some Encodable, asJSON json: Bool, text: @autoclosure () -> String) throws {
        if json { try write(jsonLine(value)) } else { try write(text()) }
    }

    /// Waits, because another program may have made the descriptor nonblocking.
    private func waitUntilWritable() throws {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&request, 1, -1)
    }

    /// The reader closed the output, for example `| head`.
    struct Closed: Error {}
}

/// Returns a value as a line of JSON with sorted keys.
func jsonLine(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try Array(encoder.encode(value)) + [UInt8(ascii: "\n")]
}

/// A file or standard input, in chunks.
struct InputChunks: AsyncSequence, AsyncIteratorProtocol, Sendable {
    static let standard = InputChunks(descriptor: STDIN_FILENO, name: "standard input")

    let descriptor: Int32
    let name: String
    /// Bytes that were read ahead.
    private var head: [UInt8] = []

    private init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// Throws `.fileNotFound`, `.filePermissionDenied` and `.fileAccess`.
    init(path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let number = errno
            let code: Realm.Error.Code =
                switch number {
                case ENOENT: .fileNotFound
                case EACCES: .filePermissionDenied
                default: .fileAccess
                }
            throw Realm.Error(
                code, "Cannot open \"\(path)\": \(String(cString: strerror(number))).", path: path,
                errno: number)
        }
        self.init(descriptor: descriptor, name: "\"\(path)\"")
    }

    /// Returns the first line without consuming it; `nil` if it is longer than an import accepts.
    mutating func firstLine() throws -> [UInt8]? {
        while head.count <= 1 << 28 {
            let bytes = try read()
            if bytes.isEmpty { return head }
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                defer { head += bytes }
                return head + bytes[..<end]
            }
            head += bytes
        }
        return nil
    }

    private func read() throws -> [UInt8] {
        while true {
            var failure: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 18) { buffer, filled in
                // The call alone initializes the buffer, up to the count that it returns.
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                failure = count < 0 ? errno : 0
                filled = Swift.max(count, 0)
            }
            switch failure {
            case 0: return bytes
            case EINTR: continue
            case EAGAIN:
                var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&request, 1, -1)
            default:
                throw Realm.Error(
                    .ioFailed, "Cannot read \(name): \(String(cString: strerror(failure))).",
                    errno: failure)
            }
        }
    }

    mutating func next() async throws -> [UInt8]? {
        if !head.isEmpty {
            defer { head = [] }
            return head
        }
        let bytes = try read()
        return bytes.isEmpty ? nil : bytes
    }

    func makeAsyncIterator() -> InputChunks { self }
}
