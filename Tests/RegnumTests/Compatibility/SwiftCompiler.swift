import Foundation
import Testing

/// Runs the compiler of this toolchain over source text, against the modules that the running tests
/// were built with. Every source is compiled in language mode 6 up to its SIL, because the checks
/// of regions come after those of types.
enum SwiftCompiler {
    /// What came of a compilation.
    struct Outcome {
        /// Whether the source compiled.
        let isAccepted: Bool
        /// The lines of the source that have an error, ascending, from 1.
        let errorLines: [Int]
        /// All that the compiler said.
        let output: String
    }

    /// How a source is read.
    enum Kind {
        /// The main file of a program, with statements at the top level.
        case main
        /// A file of declarations.
        case library
    }

    /// The root of the package, also where the tests are reached through a symbolic link.
    static let root = (0..<4).reduce(URL(filePath: #filePath).resolvingSymlinksInPath()) {
        path, _ in
        path.deletingLastPathComponent()
    }

    /// Compiles a source by itself.
    static func compile(_ source: String, as kind: Kind) throws -> Outcome {
        let folder = FileManager.default.temporaryDirectory.appending(path: "regnum-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "main.swift")
        try Data(source.utf8).write(to: file)
        let products = try buildFolder()
        let maps = [
            products.appending(path: "CRegnum.build/module.modulemap"),
            root.appending(path: "Sources/CLibuv/module.modulemap"),
        ]
        var arguments = [
            "swiftc", "-frontend", "-emit-sil", "-o", "/dev/null", "-module-name", "Sample",
            "-swift-version", "6", "-I", products.appending(path: "Modules").path,
        ]
        arguments += maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
        if kind == .library { arguments.append("-parse-as-library") }
        let (status, output) = try run(arguments + [file.path])
        return Outcome(
            isAccepted: status == 0, errorLines: errorLines(in: output, of: file.path),
            output: output)
    }

    /// The lines of `file` that an output calls erroneous.
    static func errorLines(in output: String, of file: String) -> [Int] {
        let lines = output.split(separator: "\n").compactMap { line -> Int? in
            guard line.hasPrefix(file + ":") else { return nil }
            let parts = line.dropFirst(file.count + 1).split(separator: ":", maxSplits: 3)
            guard parts.count > 2, parts[2] == " error" else { return nil }
            return Int(parts[0])
        }
        return Set(lines).sorted()
    }

    /// Where the modules of the build lie that this test belongs to.
    private static func buildFolder() throws -> URL {
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let build = [executable, CommandLine.arguments[0]]
            .map { URL(filePath: $0).deletingLastPathComponent() }
            .first { FileManager.default.fileExists(atPath: $0.appending(path: "Modules").path) }
        return try #require(build, "the build folder of this test was not found")
    }

    private static func run(_ arguments: [String]) throws -> (Int32, String) {
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = arguments
        let pipe = Pipe()
        compiler.standardError = pipe
        compiler.standardOutput = pipe
        try compiler.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        compiler.waitUntilExit()
        return (compiler.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
