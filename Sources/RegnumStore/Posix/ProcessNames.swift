internal import Glibc

/// A process as messages name it: its number and the name of its program, where the system tells
/// it.
///
/// Reads a small file of the system: not for the cooperative pool's busy paths.
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
