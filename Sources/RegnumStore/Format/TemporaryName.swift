/// The names under which files are written before they are renamed.
enum TemporaryName {
    static let prefix = "tmp-"

    static func random(_ fileSystem: any FileSystem) -> String {
        prefix + String(fileSystem.random(), radix: 16)
    }
}
