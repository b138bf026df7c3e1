import Foundation
import Testing

/// A headless Chromium, which is driven through the DevTools protocol: JSON messages with NUL after
/// each of them, over a pair of pipes. It ends with its last reference.
final class Browser {
    private let process = Process()
    private let commands = Pipe()
    private var output: AsyncStream<Data>.Iterator
    private var received = Data()
    private var commandCount = 0

    /// Whether Debian's package `chromium` is installed.
    static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium")

    init(profile: URL) throws {
        // Chromium reads from descriptor 3 and writes to 4.
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c", #"exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#, "sh",
            "/usr/bin/chromium", "--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
            "--remote-debugging-pipe", "--user-data-dir=\(profile.path)",
            "--window-size=900,567", "--force-device-scale-factor=1.5", "--hide-scrollbars",
        ]
        process.standardInput = commands
        let replies = Pipe()
        process.standardOutput = replies
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        replies.fileHandleForReading.readabilityHandler = { file in
            let data = file.availableData
            continuation.yield(data)
            if data.isEmpty {  // The browser has ended.
                file.readabilityHandler = nil
                continuation.finish()
            }
        }
        output = chunks.makeAsyncIterator()
        try process.run()
    }

    deinit { kill(process.processIdentifier, SIGKILL) }

    /// Opens a page in a tab of its own.
    func open(_ address: String) async throws -> BrowserPage {
        struct Target: Decodable { var targetId: String }
        struct Session: Decodable { var sessionId: String }
        let target: Target = try await send("Target.createTarget", ["url": address])
        let session: Session = try await send(
            "Target.attachToTarget", ["targetId": target.targetId, "flatten": true])
        return BrowserPage(browser: self, session: session.sessionId)
    }

    /// Sends a command and returns its result. Commands come from one task, one after the other.
    fileprivate func send<Result: Decodable>(
        _ method: String, _ parameters: [String: Any], session: String? = nil
    ) async throws -> Result {
        commandCount += 1
        var command: [String: Any] = [
            "id": commandCount, "method": method, "params": parameters,
        ]
        command["sessionId"] = session
        let data = try JSONSerialization.data(withJSONObject: command)
        try commands.fileHandleForWriting.write(contentsOf: data + [0])
        while true {
            let message = try await nextMessage()
            if try JSONDecoder().decode(Message.self, from: message).id == commandCount {
                let reply = try? JSONDecoder().decode(Reply<Result>.self, from: message)
                return try #require(
                    reply, "\(method): \(String(decoding: message.prefix(1_000), as: UTF8.self))"
                ).result
            }
        }
    }

    private func nextMessage() async throws -> Data {
        while true {
            if let end = received.firstIndex(of: 0) {
                defer { received = Data(received[(end + 1)...]) }
                return Data(received[..<end])
            }
            received += try #require(await output.next(), "the browser has ended")
        }
    }
}

/// A message of the browser: a reply or, without an identifier, an event.
private struct Message: Decodable { var id: Int? }

private struct Reply<Result: Decodable>: Decodable { var result: Result }

private struct Evaluation<Value: Decodable>: Decodable {
    struct Object: Decodable { var value: Value }

    var result: Object
}

/// A page that is open in a browser.
struct BrowserPage {
    fileprivate let browser: Browser
    fileprivate let session: String

    /// Evaluates an expression in the page, and returns its value.
    func evaluate<Value: Decodable>(
        _ expression: String, as type: Value.Type = Value.self
    ) async throws -> Value {
        let evaluation: Evaluation<Value> = try await browser.send(
            "Runtime.evaluate", ["expression": expression, "returnByValue": true],
            session: session)
        return evaluation.result.value
    }

    /// Returns a picture of the page, as a PNG file.
    func screenshot() async throws -> Data {
        struct Picture: Decodable { var data: Data }
        let _: [String: String] = try await browser.send(
            "Page.bringToFront", [:], session: session)
        let picture: Picture = try await browser.send(
            "Page.captureScreenshot", [:], session: session)
        return picture.data
    }
}
