/// The names under which files are written before they are renamed: a random number, and the time
/// at which the file was begun.
enum TemporaryName {
    static let prefix = "tmp-"
    /// Far more than completing a file takes. A process that is stopped for longer, and then finds
    /// its file gone, fails to complete it.
    private static let maximumAgeSeconds: Int64 = 3_600

    static func random(_ fileSystem: any FileSystem) -> String {
        let seconds = max(fileSystem.wallClockMicroseconds(), 0) / 1_000_000
        return prefix + String(fileSystem.random(), radix: 16) + "-" + String(seconds, radix: 16)
    }

    /// Returns whether the process that began the file must have been killed. A file whose time is
    /// unknown or in the future may be in use.
    static func isAbandoned(_ name: String, nowMicroseconds: Int64) -> Bool {
        let parts = name.split(separator: "-")
        guard name.hasPrefix(prefix), parts.count == 3, let begin = Int64(parts[2], radix: 16)
        else { return false }
        let (age, overflows) = (nowMicroseconds / 1_000_000).subtractingReportingOverflow(begin)
        return !overflows && age > maximumAgeSeconds
    }
}

extension RealmDirectory {
    /// Completes a file with a temporary name and then renames it. Removes the file if that fails.
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
