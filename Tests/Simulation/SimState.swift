internal import RegnumStore
import RegnumTestSupport

/// One version of a sector that was written and not yet synced.
struct SimSector: Sendable {
    /// Position among all unsynced writes and directory operations.
    var order: Int
    /// Index of the sector in its file.
    var sector: Int
    /// The whole sector after the write, truncated at the end of the file.
    var bytes: [UInt8]
    /// Whether a failed sync marked the sector clean: later syncs don't write it.
    var isLost = false
}

/// The part of `LOCK` that processes share.
struct SimControl: Sendable, Equatable {
    var slots = [ControlWords(), ControlWords()]
    var words: [LockWord: UInt32] = [:]
}

/// A file: what reads see, what is guaranteed to be on disk, and the difference.
struct SimInode: Sendable {
    var content: [UInt8] = []
    var durable: [UInt8] = []
    var dirty: [SimSector] = []
    var handleCount = 0
    /// The parts that take no space.
    private(set) var released: [Range<Int>] = []

    // Only for `LOCK`.
    var isLock = false
    var control = SimControl()
    /// Older states of the control page, oldest first; any of them may be the one on disk.
    var controlHistory: [SimControl] = []
    /// Whether `LOCK` was synced. What was stored since is in `controlHistory`.
    var isControlDurable = false
    /// Kind of lock by owner, by byte.
    var locks: [LockByte: [Int: LockKind]] = [:]

    /// The number of bytes that take space.
    var usedByteCount: Int { content.count - released.reduce(0) { $0 + $1.count } }

    /// Returns how much more space the file takes after a write to a range.
    func neededByteCount(_ range: Range<Int>) -> Int {
        released.reduce(max(0, range.upperBound - content.count)) {
            $0 + $1.clamped(to: range).count
        }
    }

    /// Counts the bytes of a range as taking space.
    mutating func take(_ range: Range<Int>) {
        released = released.flatMap { part -> [Range<Int>] in
            let before = max(part.lowerBound, min(part.upperBound, range.lowerBound))
            let after = min(part.upperBound, max(part.lowerBound, range.upperBound))
            return [part.lowerBound..<before, after..<part.upperBound]
        }
        released.removeAll { $0.isEmpty }
    }

    /// Counts the bytes of a range as taking no space.
    mutating func release(_ range: Range<Int>) {
        take(range)
        released.append(range)
    }
}

/// An operation on a directory that is not yet synced.
struct SimDirectoryOperation: Sendable {
    enum Kind: Sendable {
        case create(String)
        case rename(String, String)
        case unlink(String)
    }
    var order: Int
    var kind: Kind
    var inode: Int

    /// Applies the operation if its entry exists.
    func apply(to entries: inout [String: Int]) {
        switch kind {
        case .create(let name): entries[name] = inode
        case .rename(let name, let target) where entries[name] == inode:
            entries[name] = nil
            entries[target] = inode
        case .unlink(let name) where entries[name] == inode: entries[name] = nil
        case .rename, .unlink: break
        }
    }
}

/// A directory: entries (inode by name) as lookups see them, those guaranteed to be on disk, and
/// the difference.
struct SimDirectoryState: Sendable {
    var entries: [String: Int] = [:]
    var durable: [String: Int] = [:]
    var operations: [SimDirectoryOperation] = []
    /// Whether the entry of the directory itself is on disk.
    var isDurable = false
    var order = 0
}

/// The state of a simulated machine. A value: a copy is a cheap image (copy on write).
struct SimState: Sendable {
    static let maximumControlHistoryCount = 16
    static let lockByteCount = 8192

    let sectorByteCount: Int
    var directories: [String: SimDirectoryState] = [:]
    var plainFiles: Set<String> = []
    var inodes: [Int: SimInode] = [:]
    var lastNumber = 0

    var bootID: Identity128?
    var generator: SeededRandom
    var monotonicNanoseconds: UInt64 = 1_000_000_000
    var tickNanoseconds: UInt64 = 1000
    var wallClockMicroseconds: Int64 = 1_700_000_000_000_000
    var capacityByteCount: UInt64?
    var isReadOnly = false

    var failures: [SimFailure] = []
    var firedFailureCount = 0
    var counts: [EffectKind: Int] = [:]
    var effectCount = 0
    var wakeCount = 0
    var onEffect: (@Sendable (EffectKind, Int) -> Void)?

    init(sectorByteCount: Int, seed: UInt64) {
        self.sectorByteCount = sectorByteCount
        generator = SeededRandom(seed)
        bootID = Identity128(high: generator.next(), low: generator.next())
    }

    /// Returns a number never used before, for an inode, a lock owner or the order of an operation.
    mutating func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Counts a call and returns the failure planned for it, if any.
    mutating func count(_ kind: EffectKind) -> SimFailure? {
        var fired: SimFailure?
        for index in failures.indices {
            let failure = failures[index]
            if let wanted = failure.kind, wanted != kind { continue }
            failures[index].seen += 1
            let seen = failures[index].seen
            let happens = failure.times == .once ? seen == failure.nth : seen >= failure.nth
            if happens, fired == nil { fired = failure }
        }
        failures.removeAll { $0.times == .once && $0.seen >= $0.nth }
        if fired != nil { firedFailureCount += 1 }
        return fired
    }

    /// The number of bytes of all files that have a name or are open.
    func usedByteCount() -> UInt64 {
        let named = directories.values.reduce(into: Set<Int>()) { $0.formUnion($1.entries.values) }
        return inodes.reduce(0) { sum, item in
            let counts = item.value.handleCount > 0 || named.contains(item.key)
            return counts ? sum + UInt64(item.value.usedByteCount) : sum
        }
    }

    /// Removes a file that can't be reached any more, not even after a crash.
    mutating func collect(_ inode: Int) {
        guard let file = inodes[inode], file.handleCount == 0 else { return }
        let isReachable = directories.values.contains { directory in
            directory.entries.values.contains(inode) || directory.durable.values.contains(inode)
                || directory.operations.contains { $0.inode == inode }
        }
        if !isReachable { inodes[inode] = nil }
    }
}
