internal import Glibc

/// Returns the description of a process for messages: its id and, if available, its program name.
///
/// The id is one that a process has stored in a file. If it is that of this process, which never
/// waits for itself, it is from another PID namespace, such as that of a container, or from before
/// it was reused; the process isn't named then.
///
/// Reads a file in `/proc`; don't call it on hot paths of the cooperative pool.
package func processDescription(_ id: UInt32) -> String {
    if id == UInt32(getpid()) { return "process \(id)" }
    let descriptor = open("/proc/\(id)/comm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "process \(id)" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    let name = String(decoding: bytes.prefix(max(count, 0)).prefix { $0 != 10 }, as: UTF8.self)
    return "process \(id)" + (name.isEmpty ? "" : " (\(name.printable))")
}

extension String {
    /// The first 200 scalars of a text from another process, with an escape for each that a
    /// terminal might not show as a character: controls, line breaks, and formats such as those
    /// that reverse the direction of the text.
    package var printable: String {
        var text = ""
        for scalar in unicodeScalars.prefix(200) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return unicodeScalars.count > 200 ? text + "…" : text
    }
}

/// Returns the ids of the other processes that have a file open, ascending: those that this user
/// may examine and that `/proc` shows.
///
/// Blocks on the files that other processes have open. Don't call it on the cooperative pool.
package func processes(withOpenFile identity: FileIdentity) -> [UInt32] {
    let own = UInt32(getpid())
    return numbers(in: "/proc").filter { id in
        id != own
            && numbers(in: "/proc/\(id)/fd").contains { descriptor in
                var status = stat()
                return stat("/proc/\(id)/fd/\(descriptor)", &status) == 0
                    && FileIdentity(status) == identity
            }
    }
}

/// Returns the entries of a directory that are numbers, ascending; none if it can't be read.
private func numbers(in path: String) -> [UInt32] {
    let directory = try? PosixFileSystem.shared.openDirectory(path, .readOnly)
    return ((try? directory?.names()) ?? []).compactMap { UInt32($0) }.sorted()
}
