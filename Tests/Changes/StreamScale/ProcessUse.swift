import Foundation
import Glibc
import RegnumTestSupport

/// The system resources that this process uses.
struct ProcessUse: Sendable, CustomStringConvertible {
    /// The number of bytes allocated with `malloc`.
    let heap: Int
    /// The size of resident anonymous memory.
    let anonymous: Int
    let descriptors: Int
    let threads: Int

    /// - Parameter givesBack: Whether to return unused memory, which the allocator would otherwise
    ///   keep, to the system first.
    init(givesBack: Bool = false) throws {
        if givesBack, let symbol = dlsym(nil, "malloc_trim") {
            typealias Function = @convention(c) (Int) -> Int32
            _ = unsafeBitCast(symbol, to: Function.self)(0)
        }
        heap = try Self.allocatedByteCount()
        anonymous = try Self.status("RssAnon") << 10
        threads = try Self.status("Threads")
        // One of them is the directory being read.
        descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count - 1
    }

    var description: String {
        "\(heap >> 10) KiB heap, \(anonymous >> 10) KiB anonymous, \(descriptors) descriptors, "
            + "\(threads) threads"
    }

    private struct Unreadable: Error {}

    private static func status(_ name: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        for line in text.split(separator: "\n") where line.hasPrefix("\(name):") {
            let fields = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
            if fields.count > 1, let number = Int(fields[1]) { return number }
        }
        throw Unreadable()
    }

    /// Parses the totals at the end of the output of `malloc_info`, which the system module doesn't
    /// declare.
    private static func allocatedByteCount() throws -> Int {
        typealias Function = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
        var text: UnsafeMutablePointer<CChar>?
        var count = 0
        guard let symbol = dlsym(nil, "malloc_info"), let file = open_memstream(&text, &count)
        else { throw Unreadable() }
        let result = unsafeBitCast(symbol, to: Function.self)(0, file)
        fclose(file)
        defer { free(text) }
        guard result == 0, let text else { throw Unreadable() }
        var numbers: [String: Int] = [:]
        for line in String(cString: text).split(separator: "\n") {
            // Lines of the arenas are overwritten by those of the totals, which come last.
            let quoted = line.split(separator: "\"")
            guard quoted.count > 3, let size = quoted.indices.dropLast().last else { continue }
            for kind in ["type=fast", "type=rest", "type=mmap", "type=current"] {
                if kind == "type=\(quoted[1])" { numbers[kind] = Int(quoted[size]) ?? 0 }
            }
        }
        guard let current = numbers["type=current"], let rest = numbers["type=rest"] else {
            throw Unreadable()
        }
        return current - rest - numbers["type=fast", default: 0] + numbers["type=mmap", default: 0]
    }
}
