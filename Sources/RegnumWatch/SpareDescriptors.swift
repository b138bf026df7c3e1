internal import Glibc

/// A check that the process can open more descriptors.
///
/// libuv aborts the process if it can't create the pipes for its first loop, so their availability
/// is checked first. Another thread could still take them in between, but only in a process that is
/// within a few descriptors of its limit.
enum SpareDescriptors {
    /// More descriptors than a loop and its first watch need.
    private static let count = 16

    /// Throws `.limit` if too few descriptors are available.
    static func check() throws(WatchError) {
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        while opened.count < count {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw WatchError(status: -errno) }
            opened.append(descriptor)
        }
    }
}
