import Foundation
import Testing

/// The program in `Docs/Guides/Operations.md`, which is `Sources/Shop`.
@Suite struct OperationsPageTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test func thePageShowsTheProgram() throws {
        let page = try String(
            contentsOf: Self.package.appending(path: "../../Docs/Guides/Operations.md"),
            encoding: .utf8)
        let program = try String(
            contentsOf: Self.package.appending(path: "Sources/Shop/main.swift"), encoding: .utf8)
        #expect(page.contains("```swift\n\(program)```\n"))
    }

    @Test func theProgramEndsCleanlyOnASignal() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "shop")
        process.currentDirectoryURL = directory
        let pipe = Pipe()
        process.standardError = pipe
        let (ended, end) = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in end.finish() }
        let (lines, line) = AsyncStream<String>.makeStream()
        pipe.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty {
                handle.readabilityHandler = nil
                line.finish()
            } else {
                line.yield(String(decoding: data, as: UTF8.self))
            }
        }
        try process.run()
        var output = ""
        for await text in lines {
            output += text
            if output.contains("sending a mail to ann@example.org") { break }
        }
        process.terminate()
        for await _ in ended {}
        #expect(process.terminationReason == .exit, "\(output)")
        #expect(process.terminationStatus == 0, "\(output)")
    }
}
