import Foundation

/// Where the executable of the children is.
enum ChildExecutable {
    static let path: String = {
        // The tests are a bundle in the folder of the products, or run from one.
        var places = [Bundle.main.executablePath, CommandLine.arguments.first]
        let arguments = CommandLine.arguments
        if let option = arguments.firstIndex(of: "--test-bundle-path"), option + 1 < arguments.count
        {
            places.append(arguments[option + 1])
        }
        for place in places.compactMap({ $0 }) {
            let folder = URL(filePath: place).resolvingSymlinksInPath().deletingLastPathComponent()
            let path = folder.appending(path: "RegnumCrashChild").path
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        fatalError("RegnumCrashChild was not built beside \(places.compactMap { $0 }).")
    }()
}
