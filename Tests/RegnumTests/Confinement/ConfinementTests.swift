import Foundation
import Testing

/// Runs the compiler over the sources in `Leaks` and `Twins`. Each leak must be rejected with the
/// diagnostics that its comments expect, each twin must compile under the same flags.
///
/// `-emit-sil`, because the checks of regions run after type checking; `-verify` compares the
/// diagnostics with the comments, so a leak that compiles fails the test.
@Suite struct ConfinementTests {
    @Test(arguments: sourceNames("Leaks"))
    func leakIsRejected(name: String) throws {
        let (status, output) = try compile("Leaks/\(name)")
        #expect(status == 0, "\(output)")
        #expect(try text("Leaks/\(name)").contains("expected-error@"))
    }

    @Test(arguments: sourceNames("Twins"))
    func twinCompiles(name: String) throws {
        let (status, output) = try compile("Twins/\(name)")
        #expect(status == 0, "\(output)")
        #expect(try !text("Twins/\(name)").contains("expected-"))
    }

    @Test func everyLeakHasATwin() {
        #expect(sourceNames("Leaks") == sourceNames("Twins"))
        #expect(sourceNames("Leaks").count >= 24)
    }

    @Test func leakThatCompilesIsNoticed() throws {
        let source = FileManager.default.temporaryDirectory
            .appending(path: "regnum-\(UUID()).swift")
        defer { try? FileManager.default.removeItem(at: source) }
        try Data("// expected-error@+1 {{risks}}\nlet number = 1\n".utf8).write(to: source)
        #expect(try compile(source.path).0 != 0)
    }
}

private let folder = URL(filePath: #filePath).deletingLastPathComponent()

/// The root of the package.
private let root = (0..<3).reduce(folder) { path, _ in path.deletingLastPathComponent() }

private func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
}

private func sourceNames(_ name: String) -> [String] {
    let names = try? FileManager.default.contentsOfDirectory(
        atPath: folder.appending(path: name).path)
    return (names ?? []).filter { $0.hasSuffix(".swift") }.sorted()
}

/// Compiles one source against the build that this test belongs to: exit status and output.
private func compile(_ name: String) throws -> (Int32, String) {
    let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let build = [executable, CommandLine.arguments[0]]
        .map { URL(filePath: $0).deletingLastPathComponent() }
        .first { FileManager.default.fileExists(atPath: $0.appending(path: "Modules").path) }
    let products = try #require(build, "the build folder of this test was not found")
    let maps = [
        products.appending(path: "CRegnum.build/module.modulemap"),
        root.appending(path: "Sources/CLibuv/module.modulemap"),
    ]
    let flags =
        [
            "-frontend", "-emit-sil", "-o", "/dev/null", "-module-name", "Sample",
            "-parse-as-library", "-swift-version", "6",
            "-enable-upcoming-feature", "ExistentialAny",
            "-enable-upcoming-feature", "InternalImportsByDefault",
            "-enable-upcoming-feature", "MemberImportVisibility",
            "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
            "-verify", "-verify-ignore-unrelated",
            "-I", products.appending(path: "Modules").path,
        ] + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.currentDirectoryURL = folder
    compiler.arguments = ["swiftc"] + flags + [name]
    let pipe = Pipe()
    compiler.standardError = pipe
    compiler.standardOutput = pipe
    try compiler.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    compiler.waitUntilExit()
    return (compiler.terminationStatus, String(decoding: output, as: UTF8.self))
}
