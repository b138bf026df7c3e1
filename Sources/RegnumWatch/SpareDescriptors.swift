internal import Glibc

/// The descriptors that libuv opens.
enum SpareDescriptors {
    /// More descriptors than a loop and its first watch need.
    private static let count = 16

    /// Throws `.limit` if too few descriptors are available.
    ///
    /// libuv aborts the process if it can't create the pipes for its first loop, so their
    /// availability is checked first. Another thread could still take them in between, but only in
    /// a process that is within a few descriptors of its limit.
    static func check() throws(WatchError) {
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        while opened.count < count {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw WatchError(status: -errno) }
            opened.append(descriptor)
        }
    }

    /// Runs `body` so that no descriptor that it opens gets the number of a standard stream that
    /// the process has closed.
    ///
    /// Otherwise, the output of the process would fill a pipe of libuv until printing blocks
    /// forever, and libuv would abort if reopening the stream replaced a descriptor that it polls.
    static func avoidingStandardStreams<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var taken: [Int32] = []
        defer { for descriptor in taken { close(descriptor) } }
        while true {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            if descriptor > STDERR_FILENO { close(descriptor) }
            guard 0...STDERR_FILENO ~= descriptor else { break }
            taken.append(descriptor)
        }
        return try body()
    }
}
