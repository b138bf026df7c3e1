package import Foundation

/// The products of the build to which the running tests belong.
package enum BuiltProduct {
    /// The products directory. The tests are either a bundle or an executable in it.
    private static let folder: URL? = {
        let arguments = CommandLine.arguments
        var places = [try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")]
        places.append(arguments.first)
        if let option = arguments.firstIndex(of: "--test-bundle-path"), option + 1 < arguments.count
        {
            places.append(arguments[option + 1])
        }
        return places.compactMap { $0 }
            .map { URL(filePath: $0).resolvingSymlinksInPath().deletingLastPathComponent() }
            .first { FileManager.default.fileExists(atPath: $0.appending(path: "Modules").path) }
    }()

    /// Returns the URL of a file or directory of the build.
    package static func file(_ path: String) throws -> URL {
        guard let file = folder?.appending(path: path),
            FileManager.default.fileExists(atPath: file.path)
        else { throw Missing(description: "\(path) was not built together with the tests.") }
        return file
    }

    /// Returns the arguments with which the compiler finds the modules of the library.
    package static func moduleArguments() throws -> [String] {
        let maps = [
            try file("CRegnum.build/module.modulemap"),
            Repository.root.appending(path: "Sources/CLibuv/module.modulemap"),
        ]
        return ["-swift-version", "6", "-I", try file("Modules").path]
            + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
    }

    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }
}
