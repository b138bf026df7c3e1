import Foundation
import Synchronization

/// The peak private memory of this process among the sampled moments; mapped files don't count.
final class PeakMemory: Sendable {
    private let most = Mutex(0)

    var kibibytes: Int { most.withLock { $0 } }

    func look() {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }),
            let size = line.split(whereSeparator: \.isWhitespace).dropFirst().first,
            let now = Int(size)
        else { return }
        most.withLock { $0 = max($0, now) }
    }
}
