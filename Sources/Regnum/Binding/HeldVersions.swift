internal import RegnumEngine
internal import RegnumStore
internal import RegnumWatch

/// Tells other processes, such as `regnum info`, which versions of realms this process holds.
///
/// The answer has a line for each snapshot: the device and inode of `LOCK`, the version, the age in
/// milliseconds, and the call site, separated by tabs. If not all of them fit, the line `more` ends
/// it.
final class HeldVersions: Sendable {
    static let shared = HeldVersions()
    private static let subject = "held-versions"
    private static let more = "more\n"

    /// A version that a snapshot of a process holds.
    struct HeldVersion: Sendable, Hashable {
        let version: UInt64
        let milliseconds: UInt64
        let place: String
    }

    private struct WeakCore {
        weak var core: RealmCore?
    }

    private struct State {
        var cores: [ObjectIdentifier: WeakCore] = [:]
        var socket: WatchToken?
    }

    private let state = Guarded(State())

    /// Adds a realm, unless it is known. The first call opens the process's socket; if that fails,
    /// for lack of descriptors, the next one tries again.
    ///
    /// - Complexity: O(1)
    func add(_ core: RealmCore) {
        state.withLock { state in
            state.cores[ObjectIdentifier(core)] = WeakCore(core: core)
            guard state.socket == nil else { return }
            state.socket = try? WatchLoop.shared.startAnswering(Self.subject) { connection in
                // not after those that a disk holds up, since that may be why somebody asks
                IOPool.shared.submitLong {
                    ProcessSocket.answer(connection, self.answer())
                }
            } didFail: {
                self.state.withLock { $0.socket = nil }
            }
        }
    }

    /// Called when the realm is released.
    ///
    /// - Complexity: O(1)
    func remove(_ identity: ObjectIdentifier) {
        _ = state.withLock { $0.cores.removeValue(forKey: identity) }
    }

    private func answer() -> [UInt8] {
        var bytes: [UInt8] = []
        let now = IOPool.coarseNow()
        let cores = state.withLock { $0.cores.values.compactMap(\.core) }
        for core in cores {
            guard let identity = core.coordinator.lockIdentity else { continue }
            for snapshot in core.snapshots.all {
                let milliseconds = (now - min(snapshot.takenAt, now)) / 1_000_000
                let line =
                    "\(identity.device)\t\(identity.inode)\t\(snapshot.root.version)"
                    + "\t\(milliseconds)\t\(snapshot.place)\n"
                let limit = ProcessSocket.maximumByteCount - Self.more.utf8.count
                guard bytes.count + line.utf8.count <= limit else { return bytes + Self.more.utf8 }
                bytes += line.utf8
            }
        }
        return bytes
    }

    /// Returns the snapshots of the realm that each of some other processes holds, oldest version
    /// first; `nil` if it doesn't answer within a second. If they don't fit into 60 KB, together
    /// with those of other realms of the process, some are missing, and `isComplete` is false.
    static func snapshots(
        heldBy processes: [UInt32], of identity: FileIdentity
    ) async -> [(found: [HeldVersion], isComplete: Bool)?] {
        await ProcessSocket.ask(processes, subject).map { answer in
            answer.map { snapshots($0, of: identity) }
        }
    }

    private static func snapshots(
        _ answer: [UInt8], of identity: FileIdentity
    ) -> (found: [HeldVersion], isComplete: Bool) {
        let found = String(decoding: answer, as: UTF8.self).split(separator: "\n").compactMap {
            line -> HeldVersion? in
            let fields = line.split(separator: "\t", maxSplits: 4)
            guard fields.count == 5, fields[0] == "\(identity.device)",
                fields[1] == "\(identity.inode)", let version = UInt64(fields[2]),
                let milliseconds = UInt64(fields[3])
            else { return nil }
            return HeldVersion(
                version: version, milliseconds: milliseconds,
                place: String(fields[4]).printable)
        }
        return (found, !answer.suffix(more.utf8.count).elementsEqual(more.utf8))
    }
}
