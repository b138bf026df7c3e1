/// The live roots of a store in order of creation, with the replaced nodes that they still show.
///
/// Roots form a line: each shows what older ones show, except what was replaced since. The newest
/// is the head, the only root that can be edited.
///
/// Guard of the unchecked Sendable: `NodeStore`'s lock.
struct RootRegistry: @unchecked Sendable {
    private(set) var lastStamp: UInt64 = 0
    private var edit: (firstStamp: UInt64, base: UInt64?)?

    /// Roots, linked by index; -1 ends the line.
    private var roots: [LiveRoot] = []
    private var freePlaces: [Int] = []
    private var newest = -1
    /// Ascending by stamp. Released entries (place -1) are removed once they are the majority.
    private var order: [(stamp: UInt64, place: Int)] = []
    private var releasedCount = 0

    private struct LiveRoot {
        var stamp: UInt64
        var directory: Node?
        var older: Int
        var holderCount = 1
        var younger = -1
        /// The replaced nodes that it shows and younger roots don't.
        var held = HeldNodes()
        /// A walk is freeing its nodes. Until then it stays in line, but not as the head.
        var isDraining = false
        /// It was released while the next younger root was draining, and isn't draining itself.
        var isPending = false
        /// Its walk, which begins once the next younger root isn't draining.
        var deferredWalk: Walk?
    }

    /// The work left after a release, to be done outside the lock.
    struct Release {
        /// Nodes that no root shows.
        var freed: [HeldNode] = []
        /// A root whose nodes born after a stamp must be freed, followed by `finishWalk(place)`.
        var walk: Walk?
    }

    struct Walk {
        let place: Int
        let directory: Node?
        let bornAfter: UInt64
    }

    var liveCount: Int { order.count - releasedCount }

    /// Adds a registration to each live root, to be released by the caller.
    mutating func holdLiveRoots() -> [(stamp: UInt64, directory: Node?)] {
        order.filter { $0.place >= 0 }.map { live in
            roots[live.place].holderCount += 1
            return (live.stamp, roots[live.place].directory)
        }
    }

    /// The stamp of the newest live root.
    var head: UInt64? { order.last?.stamp }

    /// Whether a root was ever registered.
    private(set) var hadRoot = false

    // MARK: Edits

    mutating func nextStamp() -> UInt64 {
        lastStamp += 1
        return lastStamp
    }

    /// Begins an edit of the head and returns its first stamp, or `nil` if an edit is in progress
    /// or `base` isn't the head (`nil`: there is no root).
    mutating func beginEdit(on base: UInt64?) -> UInt64? {
        guard edit == nil, base == head else { return nil }
        let stamp = nextStamp()
        edit = (stamp, base)
        return stamp
    }

    mutating func endEdit(_ firstStamp: UInt64) {
        precondition(edit?.firstStamp == firstStamp, "This edit isn't the one in progress.")
        edit = nil
    }

    /// Begins to discard an edit. If the head was registered by the edit, adds a registration that
    /// keeps it until the edit's nodes are freed, and returns its stamp.
    mutating func holdRoot(from firstStamp: UInt64) -> UInt64? {
        guard let last = order.last, last.stamp >= firstStamp else { return nil }
        roots[last.place].holderCount += 1
        return last.stamp
    }

    /// Drops the replaced nodes held by the head, because no edit continues from it: they are part
    /// of its state again.
    mutating func clearHead() {
        if let last = order.last { roots[last.place].held = HeldNodes() }
    }

    /// Assigns each replaced node to the root that holds it, and returns those that no root shows.
    /// `nodes` must be in the order in which they were retired.
    mutating func retire(_ nodes: ArraySlice<RetiredNode>) -> [HeldNode] {
        var freed: [HeldNode] = []
        var shown: [HeldNode] = []
        var place = newest
        for retired in nodes.reversed() {
            while place >= 0, roots[place].stamp >= retired.stamp || roots[place].isDraining {
                if !shown.isEmpty {
                    roots[place].held.append(shown)
                    shown = []
                }
                place = roots[place].older
            }
            let held = HeldNode(retired.node)
            if place >= 0, roots[place].stamp >= held.birth {
                if shown.isEmpty { shown.reserveCapacity(nodes.count - freed.count) }
                shown.append(held)
            } else {
                freed.append(held)
            }
        }
        if !shown.isEmpty { roots[place].held.append(shown) }
        return freed
    }

    // MARK: Roots

    mutating func register(_ stamp: UInt64, _ directory: Node?) {
        if let last = order.last, last.stamp >= stamp {
            guard let index = index(of: stamp), order[index].place >= 0 else {
                preconditionFailure("Roots must be registered in the order of their stamps.")
            }
            roots[order[index].place].holderCount += 1
            return
        }
        hadRoot = true
        let root = LiveRoot(stamp: stamp, directory: directory, older: newest)
        let place: Int
        if let free = freePlaces.popLast() {
            place = free
            roots[place] = root
        } else {
            place = roots.count
            roots.append(root)
        }
        if newest >= 0 { roots[newest].younger = place }
        newest = place
        order.append((stamp, place))
    }

    mutating func release(_ stamp: UInt64) -> Release {
        guard let index = index(of: stamp), order[index].place >= 0 else {
            preconditionFailure("A root was released that isn't registered.")
        }
        let place = order[index].place
        roots[place].holderCount -= 1
        if roots[place].holderCount > 0 { return Release() }
        if let edit {
            precondition(edit.base != stamp, "The base of an edit was released before its end.")
        }
        let isHead = index == order.count - 1
        removeFromOrder(index)
        return release(place: place, isHead: isHead)
    }

    private mutating func release(place: Int, isHead: Bool) -> Release {
        // The edit continues to use the nodes of a root registered during it.
        let isInEdit = edit.map { $0.firstStamp <= roots[place].stamp } ?? false
        if isHead && !isInEdit {
            let walk = drain(place)
            guard isBelowDraining(place) else { return Release(walk: walk) }
            roots[place].deferredWalk = walk
            return Release()
        }
        if isBelowDraining(place) {
            roots[place].isPending = true
            return Release()
        }
        return Release(freed: unlink(place))
    }

    /// Whether the walk of the next younger root may still visit the root's nodes.
    private func isBelowDraining(_ place: Int) -> Bool {
        let younger = roots[place].younger
        return younger >= 0 && roots[younger].isDraining
    }

    /// Prepares the walk that frees the head's nodes. The next older root becomes the head and owns
    /// the nodes replaced since then again. If that was released before, it drains as well.
    private mutating func drain(_ place: Int) -> Walk {
        roots[place].isDraining = true
        roots[place].held = HeldNodes()
        let older = notDraining(roots[place].older)
        if older >= 0 {
            roots[older].held = HeldNodes()
            if roots[older].isPending {
                roots[older].isPending = false
                roots[older].deferredWalk = drain(older)
            }
        }
        return Walk(
            place: place, directory: roots[place].directory,
            bornAfter: older >= 0 ? roots[older].stamp : 0)
    }

    /// Returns the first of a root and older ones that isn't draining, or -1.
    private func notDraining(_ place: Int) -> Int {
        var place = place
        while place >= 0, roots[place].isDraining { place = roots[place].older }
        return place
    }

    /// Completes the walk that `release` requested. The result may request another one.
    mutating func finishWalk(_ place: Int) -> Release {
        let older = roots[place].older
        var release = Release(freed: unlink(place))
        guard older >= 0, !isBelowDraining(older) else { return release }
        if roots[older].isPending {
            release.freed += unlink(older)
        } else if let walk = roots[older].deferredWalk {
            roots[older].deferredWalk = nil
            release.walk = walk
        }
        return release
    }

    /// Removes a root from the line. The nodes it held move to the next older root that isn't
    /// draining, or are returned.
    private mutating func unlink(_ place: Int) -> [HeldNode] {
        let older = roots[place].older
        let younger = roots[place].younger
        var held = HeldNodes()
        swap(&held, &roots[place].held)
        freePlaces.append(place)
        if younger >= 0 { roots[younger].older = older }
        if older >= 0 { roots[older].younger = younger }
        if newest == place { newest = older }
        if held.isEmpty { return [] }
        let holder = notDraining(older)
        guard holder >= 0 else { return held.remove(bornAfter: 0) }
        let freed = held.remove(bornAfter: roots[holder].stamp)
        if !held.isEmpty { roots[holder].held.absorb(held) }
        return freed
    }

    // MARK: Lookup

    private func index(of stamp: UInt64) -> Int? {
        var low = 0
        var high = order.count
        while low < high {
            let middle = (low + high) / 2
            if order[middle].stamp < stamp { low = middle + 1 } else { high = middle }
        }
        return low < order.count && order[low].stamp == stamp ? low : nil
    }

    private mutating func removeFromOrder(_ index: Int) {
        order[index].place = -1
        releasedCount += 1
        while let last = order.last, last.place < 0 {
            order.removeLast()
            releasedCount -= 1
        }
        if releasedCount > 32, 2 * releasedCount > order.count {
            order.removeAll { $0.place < 0 }
            releasedCount = 0
        }
    }

    /// Returns the nodes held for each root, oldest first.
    func held() -> [(stamp: UInt64, nodes: HeldNodes)] {
        var all: [(stamp: UInt64, nodes: HeldNodes)] = []
        var place = newest
        while place >= 0 {
            all.append((roots[place].stamp, roots[place].held))
            place = roots[place].older
        }
        return all.reversed()
    }
}
