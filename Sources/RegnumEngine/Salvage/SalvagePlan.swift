import RegnumStore

/// What is read of a damaged realm: the newest checkpoint whose directory is intact and, if some of
/// its leaves are damaged, older ones; and the log since the oldest of these. Changes nothing.
struct SalvagePlan {
    let source: SalvageSource
    let findings: SalvageFindings

    /// Reads the log, the directories of checkpoints, and all leaves of those that are used.
    ///
    /// Throws `fileNotFound` if there is no realm; `invalidDatabase` if nothing can be read of it;
    /// `unsupportedFormat`; the errors of the file system.
    init(
        _ path: String, _ key: EncryptionKey?, isCancelled: @escaping () -> Bool
    ) throws(StoreError) {
        let options = RealmContent.reading(path, key)
        let log = try Self.check(path, options, isCancelled)
        var bases = try SalvageBases(log, isCancelled)
        var changes: LoggedChanges
        repeat {
            changes = try Self.changes(since: bases, path, options, isCancelled)
        } while bases.dropOlder(ifMissing: changes.gaps.first)
        let newest = max(
            log.checkpoints.map(\.version).max() ?? 0, log.versions.map(\.upperBound).max() ?? 0,
            log.publishedVersion ?? 0)
        let isEndKnown = log.publishedVersion.map { $0 >= changes.version } ?? false
        changes.finish(
            through: newest, mayLackEnd: log.mayLackEnd && !isEndKnown,
            bulkVersions: log.bulkCommits.compactMap(LoggedChanges.version(of:)))
        if let damage = bases.walk.findings.damages.first, bases.roots.isEmpty,
            changes.version == 0
        {
            throw StoreError(
                .invalidDatabase, "Nothing in \(path) can be salvaged. \(damage.message)",
                path: damage.path, position: damage.position)
        }
        var findings = SalvageFindings()
        findings.version = changes.version
        findings.checkpointVersion = bases.roots.first?.version
        findings.gaps = changes.gaps
        findings.damages = try bases.walk.finish().damages
        self.findings = findings
        let earlier = try Self.changes(before: bases, path, options, isCancelled)
        source = SalvageSource(bases.roots, changes, earlier: earlier)
    }

    private static func changes(
        since bases: SalvageBases, _ path: String, _ options: CoordinatorOptions,
        _ isCancelled: @escaping () -> Bool
    ) throws(StoreError) -> LoggedChanges {
        var changes = LoggedChanges(since: bases.isLogWhole ? nil : bases.roots.last)
        _ = try check(path, options, isCancelled) { (body) throws(StoreError) in
            try changes.add(body)
        }
        return changes
    }

    /// Returns the changes before the oldest checkpoint, since the last gap in them; `nil` if they
    /// aren't needed or can't be read.
    private static func changes(
        before bases: SalvageBases, _ path: String, _ options: CoordinatorOptions,
        _ isCancelled: @escaping () -> Bool
    ) throws(StoreError) -> LoggedChanges? {
        guard bases.isDamaged, !bases.isLogWhole, let oldest = bases.roots.last else { return nil }
        var changes = LoggedChanges(since: nil, isSinceGap: true)
        _ = try check(path, options, isCancelled) { (body) throws(StoreError) in
            let version = LoggedChanges.version(of: body)
            if let version, version <= oldest.version { try changes.add(body) }
        }
        return changes.version == oldest.version ? changes : nil
    }

    private static func check(
        _ path: String, _ options: CoordinatorOptions, _ isCancelled: @escaping () -> Bool,
        deliver: RealmLog.Deliver? = nil
    ) throws(StoreError) -> LogCheck {
        try LogCheck.run(
            options.fileSystem, path: path, options: options.store, limit: .max,
            isCancelled: isCancelled, deliver: deliver)
    }
}

/// The checkpoints that a salvage uses.
struct SalvageBases {
    /// Newest first. The commits after each of them, up to the newest, are in the log.
    private(set) var roots: [DatabaseRoot] = []
    /// Whether all commits up to the newest checkpoint are in the log, and none of the checkpoints
    /// is intact.
    private(set) var isLogWhole = false
    /// Whether all of these checkpoints have damaged leaves.
    private(set) var isDamaged = false
    /// The damage of the log and of these checkpoints.
    let walk: IntegrityWalk
    private let versions: [ClosedRange<UInt64>]

    init(_ log: LogCheck, _ isCancelled: @escaping () -> Bool) throws(StoreError) {
        walk = IntegrityWalk(limit: .max, isCancelled: isCancelled)
        versions = log.versions
        for damage in log.damages { walk.add(damage) }
        guard let nodes = log.nodes else { return }
        let references = log.checkpoints.enumerated().sorted {
            ($1.element.version, $0.offset) < ($0.element.version, $1.offset)
        }
        for (_, reference) in references {
            if let oldest = roots.last, !hasCommits(after: reference.version, to: oldest.version) {
                break
            }
            guard let root = try load(reference, nodes, isNeeded: log.needs(reference)) else {
                continue
            }
            roots.append(root)
            if try isWhole(root, isCancelled) { return }
        }
        isDamaged = true
        isLogWhole = roots.last.map { hasCommits(after: 0, to: $0.version) } ?? true
    }

    /// Uses only the newest checkpoint if a commit before it can't be read after all. Returns
    /// whether that is different.
    mutating func dropOlder(ifMissing gap: SalvageFindings.Gap?) -> Bool {
        guard let newest = roots.first, let gap, gap.first <= newest.version,
            roots.count > 1 || isLogWhole
        else { return false }
        roots = [newest]
        isDamaged = true
        isLogWhole = false
        return true
    }

    private func hasCommits(after first: UInt64, to last: UInt64) -> Bool {
        first >= last || versions.contains { $0.lowerBound <= first + 1 && last <= $0.upperBound }
    }

    /// Loads a checkpoint; `nil` if its directory is damaged, or its file is missing.
    private func load(
        _ reference: CheckpointReference, _ nodes: NodesDirectory, isNeeded: Bool
    ) throws(StoreError) -> DatabaseRoot? {
        do throws(StoreError) {
            let root = try CheckpointLoader.load(
                reference, from: nodes, seed: nodes.realmID, acceptsDamage: true)
            root.content.context.source?.noteCheck(isBeginning: true)  // as long as it exists
            return root
        } catch {
            var error = error
            if error.code == .historyTrimmed {
                guard isNeeded else { return nil }
                error.code = .invalidDatabase
            }
            guard error.isPermanentDamage else { throw error }
            error.path = error.path ?? nodes.path(ofFile: reference.file)
            error.position = error.position ?? reference.offset
            walk.add(error)
            return nil
        }
    }

    /// Reads all leaves of a checkpoint and adds their damage. Returns whether there is none.
    private func isWhole(
        _ root: DatabaseRoot, _ isCancelled: @escaping () -> Bool
    ) throws(StoreError) -> Bool {
        let own = IntegrityWalk(limit: .max, isCancelled: isCancelled)
        root.checkLeaves(own)
        let damages = try own.finish().damages
        for damage in damages { walk.add(damage) }
        return damages.isEmpty
    }
}
