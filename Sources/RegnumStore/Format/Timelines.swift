/// The timelines to which the versions of a realm belong. A timeline is a line of commits that only
/// one realm continues: a copy begins another one with its first commit, and so does a realm that
/// may have lost commits. So a version and its timeline identify a state, even after a backup was
/// restored.
///
/// `Docs/FORMAT.md` specifies the bytes; `Docs/Decisions/068-restore.md` and `069-lost-commits.md`
/// have the reasons.
package struct Timelines: Sendable, Equatable {
    /// A timeline that the realm has left.
    package struct Past: Sendable, Equatable {
        package var id: Identity128
        /// The last version that the realm has of it.
        package var lastVersion: UInt64
    }

    /// The number of timelines that are remembered. Cursors of older ones are refused.
    package static let maximumPastCount = 64
    static let byteCount = 24 + maximumPastCount * pastByteCount
    private static let pastByteCount = 24

    /// The timelines before the current one, by ascending version.
    package private(set) var past: [Past] = []
    /// The timeline of the next commit.
    package private(set) var current: Identity128

    /// The first timeline of a realm. It has the identifier of the realm.
    package init(_ realmID: Identity128) {
        current = realmID
    }

    /// Returns the timeline of a version.
    package func id(at version: UInt64) -> Identity128 {
        past.first { version <= $0.lastVersion }?.id ?? current
    }

    /// Returns the timelines of a realm that ends at `version`.
    package func through(_ version: UInt64) -> Timelines {
        var timelines = self
        timelines.current = id(at: version)
        timelines.past.removeAll { $0.lastVersion >= version }
        return timelines
    }

    /// Returns the timelines of a realm that leaves the current one after `version`.
    package func forked(after version: UInt64, as id: Identity128) -> Timelines {
        var timelines = through(version)
        timelines.past.append(Past(id: timelines.current, lastVersion: version))
        timelines.past.removeFirst(max(0, timelines.past.count - Self.maximumPastCount))
        timelines.current = id
        return timelines
    }

    /// Returns the last version that the realm has of a timeline that it has left; `nil` for the
    /// current timeline and unknown ones.
    package func lastVersion(of id: Identity128) -> UInt64? {
        past.last { $0.id == id }?.lastVersion
    }

    // MARK: Encoding

    /// Stores nothing for a realm that has only its first timeline.
    func store(in bytes: inout [UInt8], at start: Int, realmID: Identity128) {
        if self == Timelines(realmID) { return }
        Bytes.store(current, in: &bytes, at: start)
        Bytes.store(UInt32(past.count), in: &bytes, at: start + 16)
        for (index, timeline) in past.enumerated() {
            let place = start + 24 + index * Self.pastByteCount
            Bytes.store(timeline.id, in: &bytes, at: place)
            Bytes.store(timeline.lastVersion, in: &bytes, at: place + 16)
        }
    }

    /// Decodes timelines; `nil` if there are too many, or if their versions don't ascend.
    init?(from bytes: [UInt8], at start: Int, realmID: Identity128) {
        let id = Bytes.loadIdentity(from: bytes, at: start)
        current = id == Identity128(high: 0, low: 0) ? realmID : id
        let count = Bytes.load(UInt32.self, from: bytes, at: start + 16)
        guard count <= Self.maximumPastCount else { return nil }
        for index in 0..<Int(count) {
            let place = start + 24 + index * Self.pastByteCount
            let timeline = Past(
                id: Bytes.loadIdentity(from: bytes, at: place),
                lastVersion: Bytes.load(UInt64.self, from: bytes, at: place + 16))
            if let last = past.last, last.lastVersion >= timeline.lastVersion { return nil }
            past.append(timeline)
        }
    }
}
