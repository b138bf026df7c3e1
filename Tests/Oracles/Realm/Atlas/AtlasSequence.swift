import Regnum
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// A few transactions on a realm of its own. After each of them every view has to show what the
/// oracle has.
///
/// Everything follows from the seed, so that two processes that run the same sequence agree on it.
final class AtlasSequence {
    private let seed: UInt64
    private let pulse: RunPulse
    private var random: SeededRandom
    let classes: [any AtlasModel.Type]
    private let shapes: [AtlasClassShape]
    private var done: [String] = []
    private var watches: [AtlasWatcher] = []
    private var held: (snapshot: Snapshot, content: AtlasContent)?

    /// The version that a body built on.
    ///
    /// Guard: a mutex.
    private final class Base: Sendable {
        let version = Guarded<UInt64>(0)
    }

    init(seed: UInt64, pulse: RunPulse) {
        self.seed = seed
        self.pulse = pulse
        random = SeededRandom(seed)
        classes = AtlasTable.classes(2, &random)
        shapes = AtlasTable.shapes(classes)
    }

    var objectTypes: [ObjectBase.Type] { AtlasTable.objectTypes(classes) }

    /// The classes and everything done so far.
    var history: String {
        "classes \(shapes.map(\.name))\n" + done.joined(separator: "\n")
    }

    private func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    func run(_ sides: RealmSides<AtlasSide>) async throws {
        var draw = AtlasDraw(AtlasWorld(shapes), seed: random.next(), sideCount: sides.count)
        let stepCount = 4 + below(4)
        // The sides that haven't looked at the last commits of others.
        var behind: Set<Int> = []
        for step in 0..<stepCount {
            let before = draw.world.content
            let transaction = draw.transaction()
            let after = draw.world.content
            let embeddedCounts = draw.world.embeddedCounts
            done.append("\(step): \(transaction)")
            let holds = below(3) == 0
            let reopened = below(4) == 0 ? below(sides.count) : -1
            // In half of the steps the other sides don't look, so that one of them begins its next
            // transaction without having seen the last version.
            let areOthersBehind = below(2) == 0 && step + 1 < stepCount
            let (watchedType, watchedNumber, watchedSlot) = (
                below(classes.count), below(4), below(99)
            )
            if let realm = sides.realm(transaction.side) {
                let isBehind = behind.contains(transaction.side)
                try await write(transaction, before, after, realm, isBehind: isBehind)
            }
            try await meet(2 * step, sides)
            for side in 0..<sides.count {
                guard let realm = sides.realm(side) else { continue }
                if side != transaction.side, side != reopened, areOthersBehind {
                    behind.insert(side)
                    continue
                }
                if side != transaction.side { try await catchUp(after, realm) }
                behind.remove(side)
                try await check(after, realm)
                try sides[side]?.checkEmbedded(embeddedCounts)
                if let held { try heldCheck(held) }
                if holds { held = (realm.snapshot(), after) }
                try await pull(side, realm, after)
                if watches.count < 3 * sides.count {
                    let watcher = AtlasWatcher(
                        classes[watchedType], type: watchedType, number: watchedNumber,
                        slot: watchedSlot, side: side, realm)
                    watches.append(watcher)
                    try await pull(side, realm, after)
                }
                if side == reopened, sides.isOnDisk {
                    done.append("reopened \(side)")
                    watches.removeAll { $0.side == side }
                    held = nil
                    try await sides.reopen(side)
                    guard let again = sides.realm(side) else { continue }
                    try await catchUp(after, again)
                    try await check(after, again)
                    try sides[side]?.checkEmbedded(embeddedCounts)
                }
            }
            try await meet(2 * step + 1, sides)
        }
        if let held { try heldCheck(held) }
        watches = []
    }

    private func meet(_ place: Int, _ sides: RealmSides<AtlasSide>) async throws {
        pulse.beat(patience: RunWatchdog.patienceForPeer)
        try await sides.meet(place)
        pulse.beat()
    }

    // MARK: Transactions

    private func write(
        _ transaction: AtlasTransaction, _ before: AtlasContent, _ after: AtlasContent,
        _ realm: Realm, isBehind: Bool
    ) async throws {
        let (classes, shapes) = (classes, shapes)
        let base = Base()
        let durability: Realm.Durability =
            transaction.isRelaxed ? .relaxed(within: .seconds(3600)) : .full
        do {
            try await realm.write(durability: durability) { tx in
                base.version.withLock { $0 = tx.freeze().version }
                if isBehind {  // otherwise it was compared before
                    try before.check(AtlasContent(tx, classes), "confined (at the start)", shapes)
                    try before.check(AtlasContent(tx.freeze(), classes), "start's frozen", shapes)
                }
                let writer = AtlasWriter(tx: tx, classes: classes)
                for edit in transaction.edits { try writer.make(edit) }
                if transaction.end.isKept {
                    try after.check(AtlasContent(tx, classes), "confined (at the end)", shapes)
                }
                try writer.finish(transaction.end)
            }
            guard transaction.end.isKept else {
                throw AtlasFailure("a transaction with the end \(transaction.end) was committed")
            }
        } catch {
            try transaction.end.check(error)
            let (version, found) = (base.version.withLock { $0 }, realm.snapshot().version)
            if found != version {
                throw AtlasFailure("version \(found) after a failure, and \(version) before")
            }
        }
    }

    /// Checks that a transaction begins with the newest version, whoever made it.
    private func catchUp(_ content: AtlasContent, _ realm: Realm) async throws {
        let (classes, shapes) = (classes, shapes)
        try await realm.write { tx in
            try content.check(AtlasContent(tx, classes), "other side's confined", shapes)
        }
    }

    // MARK: Views

    private func check(_ content: AtlasContent, _ realm: Realm) async throws {
        try content.check(AtlasContent(realm.snapshot(), classes), "frozen", shapes)
        let (classes, shapes) = (classes, shapes)
        try await realm.read { tx in
            try content.check(AtlasContent(tx, classes), "read's", shapes)
        }
    }

    private func heldCheck(_ held: (snapshot: Snapshot, content: AtlasContent)) throws {
        try held.content.check(AtlasContent(held.snapshot, classes), "held", shapes)
    }

    /// Pulls from the streams of a side that are due to report something.
    private func pull(_ side: Int, _ realm: Realm, _ content: AtlasContent) async throws {
        let version = realm.snapshot().version
        for index in watches.indices where watches[index].side == side {
            try await watches[index].pull(content, version, shapes)
        }
    }
}

/// A stream of a class, or of a collection of an object, on one side.
struct AtlasWatcher {
    let side: Int
    private let type: Int
    private let number: Int
    /// `nil` for the stream of all objects of the class.
    private let slot: Int?
    private var watch: any AtlasWatch
    private var hasBegun = false

    /// - Parameter slot: Which of the properties to follow, modulo their number; if that isn't a
    ///   collection, all objects of the class are followed.
    init<T: AtlasModel>(
        _ model: T.Type, type: Int, number: Int, slot: Int, side: Int, _ realm: Realm
    ) {
        self.side = side
        self.type = type
        self.number = number
        let slot = slot % T.slots.count
        if let watch = T.slots[slot].watch {
            self.slot = slot
            self.watch = watch(realm.object(T.self, forPrimaryKey: number))
        } else {
            self.slot = nil
            watch = AtlasClassWatch<T>(realm)
        }
    }

    /// Waits until the mirror matches the oracle; fails if an element of this version or a later
    /// one results in something else.
    mutating func pull(
        _ content: AtlasContent, _ version: UInt64, _ shapes: [AtlasClassShape]
    ) async throws {
        let expected: AtlasMirror
        if let slot {
            let states = content.objects[type][number]
            expected = .state((states?[slot] ?? shapes[type].slots[slot].emptyState).streamed)
        } else {
            expected = .objects(content.objects[type])
        }
        while !hasBegun || watch.mirror != expected {
            if hasBegun, watch.version >= version {
                throw AtlasFailure("a stream's mirror is \(watch.mirror) instead of \(expected)")
            }
            do {
                try await watch.pull()
            } catch {
                throw AtlasFailure(
                    "\(error): a stream's mirror is \(watch.mirror) instead of \(expected)")
            }
            hasBegun = true
        }
    }
}
