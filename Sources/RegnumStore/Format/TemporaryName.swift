/// The names under which files are written before they are renamed.
enum TemporaryName {
    static let prefix = "tmp-"

    static func random(_ fileSystem: any FileSystem) -> String {
        prefix + String(fileSystem.random(), radix: 16)
    }
}

extension RealmDirectory {
    /// Completes a file with a temporary name and then gives it its own. Removes the file if that
    /// fails.
    ///
    /// Throws the errors of `body`, and `ioFailed` if a process with another `LOCK` has created a
    /// file of that name.
    func complete<Result>(
        _ temporary: String, as name: String, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do throws(StoreError) {
            let result = try body()
            try renameNew(temporary, to: name)
            return result
        } catch {
            try? unlink(temporary)
            var error = error
            if error.code == .fileExists { error.code = .ioFailed }
            throw error
        }
    }
}
