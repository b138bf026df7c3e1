import RegnumSimulation

/// The record of a history, version by version: everything that the oracle knows.
final class StreamRecord {
    /// Whether the realms keep summaries of their commits in memory.
    let keepsSummaries: Bool
    /// By version, from 0 on.
    private(set) var worlds: [MirrorWorld] = [MirrorWorld()]
    /// By version; the first entry stands for no commit.
    private(set) var commits: [MirrorCommit] = [MirrorCommit()]
    private var touched: [Set<String>?] = [[]]
    private var steps: [Range<UInt64>: MirrorStep] = [:]
    private var comparisons: [Range<UInt64>: MirrorStep] = [:]
    private var possibilities: [Range<UInt64>: MirrorStep] = [:]

    init(keepsSummaries: Bool) { self.keepsSummaries = keepsSummaries }

    var version: UInt64 { UInt64(worlds.count - 1) }

    var world: MirrorWorld { worlds[worlds.count - 1] }

    func world(_ version: UInt64) -> MirrorWorld { worlds[Int(version)] }

    /// Adds a commit unless it changed nothing, and returns whether it did.
    func add(_ world: MirrorWorld, _ commit: MirrorCommit) -> Bool {
        guard world.differs(from: self.world, commit) else {
            worlds[worlds.count - 1].lastIdentity = world.lastIdentity
            return false
        }
        var (world, commit) = (world, commit)
        world.version = version + 1
        commit.version = world.version
        worlds.append(world)
        commits.append(commit)
        touched.append(nil)
        return true
    }

    /// Returns the commits after one version through another.
    func commits(_ old: UInt64, _ new: UInt64) -> ArraySlice<MirrorCommit> {
        commits[Int(old) + 1..<Int(new) + 1]
    }

    func step(_ old: UInt64, _ new: UInt64) -> MirrorStep {
        if let known = steps[old..<new] { return known }
        let step = MirrorStep(world(old), world(new), Array(commits(old, new)))
        steps[old..<new] = step
        return step
    }

    /// Returns what a comparison of the two versions always reports.
    func comparison(_ old: UInt64, _ new: UInt64) -> MirrorStep {
        if let known = comparisons[old..<new] { return known }
        let step = MirrorStep(comparing: world(old), world(new))
        comparisons[old..<new] = step
        return step
    }

    /// Returns everything that a stream without commits in memory may report.
    func possibility(_ old: UInt64, _ new: UInt64) -> MirrorStep {
        if let known = possibilities[old..<new] { return known }
        let step = MirrorStep(world(old), world(new), Array(commits(old, new)), lists: .reordered)
        possibilities[old..<new] = step
        return step
    }

    /// Returns the classes, including hidden ones of elements, that a commit modified.
    func touchedClasses(_ version: UInt64) -> Set<String> {
        if let known = touched[Int(version)] { return known }
        let found = step(version - 1, version).touchedClasses
        touched[Int(version)] = found
        return found
    }
}

/// The net effect of the commits between two versions.
final class MirrorStep {
    /// When a list counts as changed for one of the objects that it contains. In a comparison of
    /// versions, a moved element looks as if the elements that it passed had moved.
    enum ListReading {
        /// A slot with the object was inserted or removed.
        case slots
        /// The number of its occurrences changed.
        case counts
        /// As `slots`, which a resumed stream may read from the log, or it occurs where the values
        /// differ: between the common prefix and the common suffix.
        case reordered
    }

    let lists: ListReading
    let old: MirrorWorld
    let new: MirrorWorld
    let commits: [MirrorCommit]
    /// Properties that were set and lists that changed, by row that existed and still does.
    private(set) var own: [Int: Set<Int>] = [:]
    private var reaching: [Set<Int>] = []

    init(
        _ old: MirrorWorld, _ new: MirrorWorld, _ commits: [MirrorCommit],
        lists: ListReading = .slots
    ) {
        (self.old, self.new, self.commits, self.lists) = (old, new, commits, lists)
        for kind in MirrorClass.allCases {
            for serial in new.serials(kind) {
                let changes = new.ownChanges(of: serial, since: old, commits)
                if !changes.isEmpty { own[serial] = changes }
            }
        }
        reaching = [Set(own.keys)]
    }

    init(comparing old: MirrorWorld, _ new: MirrorWorld) {
        (self.old, self.new, commits, lists) = (old, new, [], .counts)
        for kind in MirrorClass.allCases {
            for row in new.rows(kind) {
                guard let before = old[row.serial] else { continue }
                let changes = kind.properties.indices.filter { row.differs(from: before, $0) }
                if !changes.isEmpty { own[row.serial] = Set(changes) }
            }
        }
        reaching = [Set(own.keys)]
    }

    /// Whether a row existed and still does, and had properties set or lists spliced.
    func isTouched(_ serial: Int) -> Bool {
        guard let before = old[serial], let row = new[serial] else { return false }
        return (own[serial] ?? []).contains { property in
            // Setting an element only modifies the hidden class.
            !row.kind.properties[property].kind.hasElements
                || before.slots(property).map(\.identity)
                    != row.slots(property).map(\.identity)
        }
    }

    /// Returns the rows from which a changed row is at most `depth` forward links away.
    func rowsReaching(within depth: Int) -> Set<Int> {
        while reaching.count <= depth {
            let nearer = reaching[reaching.count - 1]
            var rows = nearer
            for row in MirrorClass.allCases.flatMap({ new.rows($0) })
            where row.kind.properties.indices.contains(where: { property in
                leads(row, property, to: nearer)
            }) {
                rows.insert(row.serial)
            }
            reaching.append(rows)
        }
        return reaching[depth]
    }

    func leads(_ row: MirrorRow, _ property: Int, to rows: Set<Int>) -> Bool {
        row.kind.properties[property].kind.target != nil
            && row.targets(property).contains { rows.contains($0) }
    }

    var touchedClasses: Set<String> {
        var names: Set<String> = []
        for kind in MirrorClass.allCases {
            if old.serials(kind) != new.serials(kind) { names.insert(kind.name) }
            let serials = Set(old.serials(kind)).union(new.serials(kind))
            for (index, property) in kind.properties.enumerated() where property.kind.hasElements {
                let isTouched = serials.contains { serial in
                    let was = Set(old[serial]?.slots(index).map(\.element) ?? [])
                    let now = Set(new[serial]?.slots(index).map(\.element) ?? [])
                    return was != now
                        || !commits.allSatisfy { $0.slotsSet.isDisjoint(with: now) }
                }
                if isTouched { names.insert("\(kind.name).\(property.name)") }
            }
            for (index, property) in kind.properties.enumerated() where property.kind == .any {
                let isTouched = serials.contains { serial in
                    let was = Set(old[serial]?.tree(index).all.map(\.identity) ?? [])
                    let now = Set(new[serial]?.tree(index).all.map(\.identity) ?? [])
                    return was != now
                        || !commits.allSatisfy { $0.slotsSet.isDisjoint(with: now) }
                }
                if isTouched { names.insert(kind.elements(index)) }
            }
            if new.serials(kind).contains(where: { isTouched($0) }) { names.insert(kind.name) }
        }
        return names
    }
}

extension MirrorRow {
    /// Whether a property is guaranteed to differ from that of an older version.
    func differs(from old: MirrorRow, _ property: Int) -> Bool {
        switch (old.cells[property], cells[property]) {
        case (.value(let a), .value(let b)): MirrorValue.compare(a, b) != 0
        case (.tree(let a), .tree(let b)): a.flat != b.flat
        default:
            slots(property).map(\.value) != old.slots(property).map(\.value)
                || !slots(property).map { Array($0.key.utf8) }.elementsEqual(
                    old.slots(property).map { Array($0.key.utf8) })
        }
    }
}
