package import Foundation

/// Compiles source text with the compiler of this toolchain, against the modules with which the
/// running tests were built. Every source is compiled in language mode 6 as far as SIL, because
/// region isolation is checked after type checking.
package enum SwiftCompiler {
    /// The result of a compilation.
    package struct Outcome {
        /// Whether the source compiled.
        package let isAccepted: Bool
        /// The lines of the source with an error, ascending and counted from 1.
        package let errorLines: [Int]
        /// Everything that the compiler printed.
        package let output: String
    }

    /// The way in which the compiler parses a source.
    package enum Kind {
        /// The main file of a program, with top-level statements.
        case main
        /// A file of declarations.
        case library
    }

    /// Compiles a single source.
    package static func compile(_ source: String, as kind: Kind) throws -> Outcome {
        try withFolder { folder in
            let file = folder.appending(path: "main.swift")
            try Data(source.utf8).write(to: file)
            var arguments = [
                "swiftc", "-frontend", "-emit-sil", "-o", "/dev/null", "-module-name", "Sample",
            ]
            arguments += try BuiltProduct.moduleArguments()
            if kind == .library { arguments.append("-parse-as-library") }
            let (status, output) = try run(arguments + [file.path])
            return Outcome(
                isAccepted: status == 0, errorLines: errorLines(in: output, of: file.path),
                output: output)
        }
    }

    /// Builds a program and runs it in a directory of its own that contains nothing but the
    /// program.
    ///
    /// - Parameters:
    ///   - source: The main file, with top-level statements.
    ///   - files: Further files of the program.
    ///   - arguments: The arguments of each run; the runs follow one another.
    ///   - isOptimized: Whether the program itself is optimized.
    /// - Returns: What each run printed, including its standard error.
    /// - Throws: `ProgramFailure` if it doesn't compile, or if a run exits with a status other
    ///   than 0.
    package static func output(
        of source: String, with files: [URL] = [], arguments: [[String]] = [[]],
        isOptimized: Bool = false
    ) throws -> [String] {
        try withFolder { folder in
            let file = folder.appending(path: "main.swift")
            try Data(source.utf8).write(to: file)
            let program = folder.appending(path: "program")
            let built = try run(
                ["swiftc", isOptimized ? "-O" : "-Onone", "-o", program.path]
                    + BuiltProduct.moduleArguments()
                    + objectFiles() + ["-luv", file.path] + files.map(\.path))
            guard built.status == 0 else { throw ProgramFailure(description: built.output) }
            try FileManager.default.removeItem(at: file)
            return try arguments.map { arguments in
                let (status, output) = try run([program.path] + arguments, in: folder)
                guard status == 0 else {
                    throw ProgramFailure(description: "exit status \(status): \(output)")
                }
                return output
            }
        }
    }

    /// The reason why a program produced no valid output.
    package struct ProgramFailure: Error, CustomStringConvertible {
        package let description: String
    }

    private static func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "regnum-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }

    /// The object files that a client of the library links: those of the tests, without the tests.
    /// (The module directories also contain object files of sources that no longer exist.)
    private static func objectFiles() throws -> [String] {
        let list = try BuiltProduct.file("regnumPackageTests.product/Objects.LinkFileList")
        let modules = [
            "CRegnum", "RegnumStore", "RegnumEngine", "RegnumWatch", "Regnum", "RegnumWorkers",
            "RegnumTesting", "Logging",
        ]
        return try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
            .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "'\"")) }
            .filter { path in modules.contains { path.contains("/\($0).build/") } }
    }

    /// The lines of `file` for which an output reports an error.
    package static func errorLines(in output: String, of file: String) -> [Int] {
        let lines = output.split(separator: "\n").compactMap { line -> Int? in
            guard line.hasPrefix(file + ":") else { return nil }
            let parts = line.dropFirst(file.count + 1).split(separator: ":", maxSplits: 3)
            guard parts.count > 2, parts[2] == " error" else { return nil }
            return Int(parts[0])
        }
        return Set(lines).sorted()
    }

    private static func run(
        _ arguments: [String], in folder: URL? = nil
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        if let folder { process.currentDirectoryURL = folder }
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
