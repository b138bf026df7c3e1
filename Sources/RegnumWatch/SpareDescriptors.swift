internal import Glibc

/// Whether the process may open some more descriptors.
///
/// libuv ends the process where it finds none for the pipes that it makes with its first loop. So
/// they are asked for before; that another thread takes them in between is possible, and needs a
/// process that is within a few descriptors of its limit.
enum SpareDescriptors {
    /// More than a loop and the first watch open.
    private static let count = 16

    /// Throws `.limit` if there are too few.
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
