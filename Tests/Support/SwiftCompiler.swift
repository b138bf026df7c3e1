package import Foundation

/// Runs the compiler of this toolchain over source text, against the modules that the running tests
/// were built with. Every source is compiled in language mode 6 up to its SIL, because the checks
/// of regions come after those of types.
package enum SwiftCompiler {
    /// What came of a compilation.
    package struct Outcome {
        /// Whether the source compiled.
        package let isAccepted: Bool
        /// The lines of the source that have an error, ascending, from 1.
        package let errorLines: [Int]
        /// All that the compiler said.
        package let output: String
    }

    /// How a source is read.
    package enum Kind {
        /// The main file of a program, with statements at the top level.
        case main
        /// A file of declarations.
        case library
    }

    /// Compiles a source by itself.
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

    /// Builds a program and runs it in a folder of its own, which is empty but for the program.
    ///
    /// - Parameters:
    ///   - source: the main file, with statements at the top level.
    ///   - files: more files of the program.
    ///   - arguments: what the program is given, for each of its runs, one after the other.
    ///   - isOptimized: whether the program itself is.
    /// - Returns: What each run printed, its error output included.
    /// - Throws: `ProgramFailure` if it does not compile, or a run does not end with status 0.
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
                    throw ProgramFailure(description: "The program ended with \(status): \(output)")
                }
                return output
            }
        }
    }

    /// Why a program has no output that counts.
    package struct ProgramFailure: Error, CustomStringConvertible {
        package let description: String
    }

    private static func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "regnum-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }

    /// What a client of the library is linked with: what the tests are, without the tests. (The
    /// folders of the modules also hold what came of sources that are gone.)
    private static func objectFiles() throws -> [String] {
        let list = try BuiltProduct.file("regnumPackageTests.product/Objects.LinkFileList")
        let modules = [
            "CRegnum", "RegnumStore", "RegnumEngine", "RegnumWatch", "Regnum", "Logging",
        ]
        return try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
            .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "'\"")) }
            .filter { path in modules.contains { path.contains("/\($0).build/") } }
    }

    /// The lines of `file` that an output calls erroneous.
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
