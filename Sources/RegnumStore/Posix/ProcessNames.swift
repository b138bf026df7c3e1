internal import Glibc

/// Returns the description of a process for messages: its id and, if available, its program name.
///
/// Reads a file in `/proc`; don't call it on hot paths of the cooperative pool.
package func processDescription(_ id: UInt32) -> String {
    let own = id == UInt32(getpid()) ? "this process, " : ""
    let descriptor = open("/proc/\(id)/comm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return own + "process \(id)" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    let name = String(decoding: bytes.prefix(max(count, 0)).prefix { $0 != 10 }, as: UTF8.self)
    return own + "process \(id)" + (name.isEmpty ? "" : " (\(name))")
}
