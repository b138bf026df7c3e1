/// The live roots of a store, in the order of their making, with the replaced nodes that they still
/// show. `NodeStore` guards it by its lock.
///
/// Roots form a line: each shows what the older ones show, but for what was replaced since. The
/// newest one is the head, on which alone an edit is made.
///
/// Guard of the unchecked Sendable: `NodeStore`'s lock.
struct RootRegistry: @unchecked Sendable {
    private(set) var lastStamp: UInt64 = 0
    private var edit: (firstStamp: UInt64, base: UInt64?)?

    /// Roots, linked by their places; -1 ends the line.
    private var roots: [LiveRoot] = []
    private var freePlaces: [Int] = []
    private var newest = -1
    /// Ascending by stamp; released ones (place -1) are dropped when they are the half.
    private var order: [(stamp: UInt64, place: Int)] = []
    private var releasedCount = 0

    private struct LiveRoot {
        var stamp: UInt64
        var directory: Node?
        var older: Int
        var holderCount = 1
        var younger = -1
        /// Replaced nodes that it shows and younger ones do not.
        var held = HeldNodes()
        /// Its nodes are being freed by a walk, during which it stays in line: it is no head.
        var isDraining = false
        /// Released while the next younger one was draining.
        var isPending = false
    }

    /// What is left to do after a release, outside the lock.
    struct Release {
        /// Nodes that no root shows.
        var freed: [HeldNode] = []
        /// A root whose nodes born after a stamp are to be freed, then `finishWalk(place)` is called.
        var walk: Walk?
    }

    struct Walk {
        let place: Int
        let directory: Node?
        let bornAfter: UInt64
    }

    var liveCount: Int { order.count - releasedCount }

    /// Adds a holder to each live root, to be released again.
    mutating func holdLiveRoots() -> [(stamp: UInt64, directory: Node?)] {
        order.filter { $0.place >= 0 }.map { live in
            roots[live.place].holderCount += 1
            return (live.stamp, roots[live.place].directory)
        }
    }

    /// The stamp of the newest live root.
    var head: UInt64? { order.last?.stamp }

    /// Whether it ever knew a root.
    private(set) var hadRoot = false

    // MARK: Edits

    mutating func nextStamp() -> UInt64 {
        lastStamp += 1
        return lastStamp
    }

    /// The first stamp of an edit on the head; nil if there is one under way, or if `base` is not
    /// the head (nil: there is no root).
    mutating func beginEdit(on base: UInt64?) -> UInt64? {
        guard edit == nil, base == head else { return nil }
        let stamp = nextStamp()
        edit = (stamp, base)
        return stamp
    }

    mutating func endEdit(_ firstStamp: UInt64) {
        precondition(edit?.firstStamp == firstStamp, "Another edit is under way, or none.")
        edit = nil
    }

    /// Begins the end of an edit without a result: a root that was made in it and is the head gets
    /// another holder, so that it stays until the edit's nodes are freed. Returns its stamp.
    mutating func holdRoot(from firstStamp: UInt64) -> UInt64? {
        guard let last = order.last, last.stamp >= firstStamp else { return nil }
        roots[last.place].holderCount += 1
        return last.stamp
    }

    /// Says that no edit goes on from the head: what was replaced since is its own again.
    mutating func clearHead() {
        if let last = order.last { roots[last.place].held = HeldNodes() }
    }

    /// Puts each node where it is held; returns those that no root shows. `nodes` are in the order
    /// in which they were retired.
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
                preconditionFailure("Roots are registered in the order of their stamps.")
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
            preconditionFailure("A root was released that is not registered.")
        }
        let place = order[index].place
        roots[place].holderCount -= 1
        if roots[place].holderCount > 0 { return Release() }
        if let edit {
            precondition(edit.base != stamp, "The root under an edit was released before its end.")
        }
        let isHead = index == order.count - 1
        removeFromOrder(index)
        return release(place: place, isHead: isHead)
    }

    private mutating func release(place: Int, isHead: Bool) -> Release {
        if roots[place].younger >= 0, roots[roots[place].younger].isDraining {
            roots[place].isPending = true
            return Release()
        }
        // the edit goes on with what a root shows that was made inside it
        let isInEdit = edit.map { $0.firstStamp <= roots[place].stamp } ?? false
        return isHead && !isInEdit
            ? Release(walk: drain(place)) : Release(freed: unlink(place))
    }

    /// Prepares the walk through the head, with which the next older root is the head again and
    /// shows what was replaced since.
    private mutating func drain(_ place: Int) -> Walk {
        roots[place].isDraining = true
        roots[place].held = HeldNodes()
        var older = roots[place].older
        while older >= 0, roots[older].isDraining { older = roots[older].older }
        if older >= 0 { roots[older].held = HeldNodes() }
        return Walk(
            place: place, directory: roots[place].directory,
            bornAfter: older >= 0 ? roots[older].stamp : 0)
    }

    /// Ends the walk that `release` asked for; there may be another one to do.
    mutating func finishWalk(_ place: Int) -> Release {
        let older = roots[place].older
        var release = Release(freed: unlink(place))
        if older >= 0, roots[older].isPending {
            roots[older].isPending = false
            // a head unless a younger root is live
            let isHead = head.map { $0 < roots[older].stamp } ?? true
            let next = self.release(place: older, isHead: isHead)
            release.freed += next.freed
            release.walk = next.walk
        }
        return release
    }

    /// Takes a root out of the line; what it held goes to the next older one or is returned.
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
        guard older >= 0 else { return held.take(bornAfter: 0) }
        let freed = held.take(bornAfter: roots[older].stamp)
        if !held.isEmpty { roots[older].held.absorb(held) }
        return freed
    }

    // MARK: Finding

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

    /// By root, the oldest first: what is held for it.
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
