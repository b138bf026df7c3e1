import Foundation
import RegnumTestSupport
import Testing

/// Compiles the sources in `Leaks` and `Twins`. The compiler must reject every leak with the
/// diagnostics expected by the comments in its source. A twin is the declaration of the same name
/// in the other folder; it follows the rules and must compile with the same flags.
///
/// Region isolation is checked after type checking, hence `-emit-sil`, and only if there was no
/// type error. That is why the leaks that it rejects have a file of their own, `Regions.swift`.
/// `-verify` compares the diagnostics with the comments, so a leak that compiles fails the test.
@Suite struct ConfinementTests {
    // Covers 1.1, 1.49, 2.106, 5.36, 8.3, 8.18
    @Test(arguments: sourceNames("Leaks"))
    func leakIsRejected(name: String) throws {
        let (status, output) = try compile("Leaks/\(name)")
        expectEqual(status, 0, "\(output)")
    }

    @Test(arguments: sourceNames("Twins"))
    func twinCompiles(name: String) throws {
        let (status, output) = try compile("Twins/\(name)")
        expectEqual(status, 0, "\(output)")
        try expectTrue(!text("Twins/\(name)").contains("expected-"))
    }

    /// Declarations without expectations, such as models, are the same in both sources.
    @Test(arguments: sourceNames("Leaks"))
    func everyLeakHasATwin(name: String) throws {
        let leaks = try declarations("Leaks/\(name)")
        let twins = try declarations("Twins/\(name)")
        expectEqual(Set(leaks.keys).symmetricDifference(twins.keys), [])
        for (name, leak) in leaks where !leak.contains("expected-") {
            expectEqual(leak, twins[name])
        }
    }

    @Test func noLeakIsLost() throws {
        expectEqual(sourceNames("Leaks"), sourceNames("Twins"))
        let leaks = try sourceNames("Leaks").flatMap { try declarations("Leaks/\($0)").values }
            .filter { $0.contains("expected-error@") }
        expectTrue(leaks.count >= 79)
    }

    @Test func leakThatCompilesIsNoticed() throws {
        let source = FileManager.default.temporaryDirectory
            .appending(path: "regnum-\(UUID()).swift")
        defer { try? FileManager.default.removeItem(at: source) }
        let leaks = """
            // expected-error@+1 {{cannot convert value}}
            let rejected: Int = "1"
            // expected-error@+1 {{cannot convert value}}
            let accepted: Int = 1
            """
        try Data(leaks.utf8).write(to: source)
        let (status, output) = try compile(source.path)
        expectTrue(status != 0)
        expectTrue(output.contains(":3:4: error: expected error not produced"), "\(output)")
        expectTrue(!output.contains(":1:4: error:"), "\(output)")
    }
}

private let folder = URL(filePath: #filePath).deletingLastPathComponent()

private func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
}

private func sourceNames(_ name: String) -> [String] {
    let names = try? FileManager.default.contentsOfDirectory(
        atPath: folder.appending(path: name).path)
    return (names ?? []).filter { $0.hasSuffix(".swift") }.sorted()
}

/// Returns the top-level declarations of a source by name, each with the comments directly above
/// it. A blank line has to separate them from one another and from the imports, which come first.
private func declarations(_ source: String) throws -> [String: String] {
    let declaration = #/^(?:final )?(?:actor|class|enum|func|struct) (\w+)/#
        .anchorsMatchLineEndings()
    let paragraphs = try text(source).trimmingCharacters(in: .newlines)
        .split(separator: #/\n\n(?=\S)/#).dropFirst()
    let pairs = try paragraphs.map { paragraph in
        let matches = paragraph.matches(of: declaration)
        try #require(matches.count == 1, "not one declaration: \(paragraph)")
        return (String(matches[0].1), String(paragraph))
    }
    return Dictionary(pairs, uniquingKeysWith: +)
}

/// Compiles one source against the build to which this test belongs; returns exit status and
/// output.
private func compile(_ name: String) throws -> (Int32, String) {
    let flags =
        [
            "-frontend", "-emit-sil", "-o", "/dev/null", "-module-name", "Sample",
            "-parse-as-library",
            "-enable-upcoming-feature", "ExistentialAny",
            "-enable-upcoming-feature", "InternalImportsByDefault",
            "-enable-upcoming-feature", "MemberImportVisibility",
            "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
            "-verify", "-verify-ignore-unrelated",
        ] + (try BuiltProduct.moduleArguments())
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
