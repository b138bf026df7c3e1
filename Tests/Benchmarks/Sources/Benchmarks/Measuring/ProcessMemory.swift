import Foundation

/// Returns a line of /proc/self/status in bytes: `RssAnon` is the current anonymous memory, `VmHWM`
/// the peak resident size so far, including mapped files.
func processMemory(_ name: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    for line in status.split(separator: "\n") where line.hasPrefix("\(name):") {
        let fields = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
        if fields.count == 3, let kilobytes = Int(fields[1]) { return kilobytes * 1_024 }
    }
    throw Failure("/proc/self/status has no \(name).")
}
