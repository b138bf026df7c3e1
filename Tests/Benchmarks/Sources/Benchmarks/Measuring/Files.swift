import Foundation
import Glibc

/// Returns the regular files below a directory.
func regularFiles(below directory: URL) -> [URL] {
    let keys: [URLResourceKey] = [.isRegularFileKey]
    let found = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: keys)
    return (found?.compactMap { $0 as? URL } ?? []).filter {
        (try? $0.resourceValues(forKeys: Set(keys)).isRegularFile) == true
    }
}

/// Returns the disk space used by the files of a directory, in bytes.
func diskByteCount(below directory: URL) -> Int {
    regularFiles(below: directory).reduce(0) { sum, file in
        var status = stat()
        return stat(file.path, &status) == 0 ? sum + Int(status.st_blocks) * 512 : sum
    }
}

/// Syncs the files to disk.
func syncFiles(below directory: URL) throws {
    for file in regularFiles(below: directory) {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw Failure("\(file.path): \(String(cString: strerror(errno)))")
        }
        close(descriptor)
    }
}

/// The page cache, and how it is dropped.
enum PageCache {
    /// Only the superuser can drop the whole cache.
    static let canDropAll = access("/proc/sys/vm/drop_caches", W_OK) == 0

    static var way: String {
        canDropAll
            ? "/proc/sys/vm/drop_caches (1, the whole page cache)"
            : "posix_fadvise(DONTNEED) on the files of the store"
    }

    /// Drops the pages of the files, or of all files.
    static func drop(below directory: URL) throws {
        try syncFiles(below: directory)
        if canDropAll {
            let descriptor = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC)
            defer { close(descriptor) }
            if descriptor >= 0, write(descriptor, "1\n", 2) == 2 { return }
            throw Failure("drop_caches: \(String(cString: strerror(errno)))")
        }
        for file in regularFiles(below: directory) {
            let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Failure("Can't open \(file.path).") }
            posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
            close(descriptor)
        }
    }
}
