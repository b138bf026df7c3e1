/// A change of a list: elements are taken out, others put in their place.
package struct ListSplice: Sendable, Hashable {
    /// In the list before the change.
    package var position: Int
    /// How many elements from there on are gone.
    package var removedCount: Int
    /// What stands in their place.
    package var inserted: [ObjectKey]

    package init(position: Int, removedCount: Int, inserted: [ObjectKey]) {
        self.position = position
        self.removedCount = removedCount
        self.inserted = inserted
    }
}

/// How one list of one row changed.
package struct ListChange: Sendable, Hashable {
    package var row: ObjectKey
    /// Ascending; at least one element that stayed lies between two of them. nil if there are too
    /// many to merge: then the trees of the two versions tell (`DatabaseRoot.listSplices`).
    package var splices: [ListSplice]?

    package init(row: ObjectKey, splices: [ListSplice]?) {
        self.row = row
        self.splices = splices
    }

    /// About how much memory the change takes.
    var byteCount: Int {
        (splices ?? []).reduce(24) { $0 + 56 + 8 * $1.inserted.count }
    }
}

/// What a list went through, as the net of edits by position: which elements of the list before
/// stay, and what stands between them now.
///
/// It is not a comparison of contents: an element that was taken out and put in again was. The net
/// does not depend on the way: edits that keep the same elements give the same splices.
struct ListSplices: Hashable, Sendable {
    struct Hunk: Hashable, Sendable {
        /// Where it begins in the list before, and how many elements of that are gone.
        var old: Int
        var removed: Int
        /// Where it begins in the list now, and what stands there.
        var new: Int
        var inserted: [ObjectKey]

        var oldEnd: Int { old &+ removed }
        var newEnd: Int { new &+ inserted.count }
    }

    /// Ascending; an element that stayed lies between two.
    private(set) var hunks: [Hunk] = []

    init() {}

    /// As a change tells them: ascending, of positions in the list before.
    init(_ splices: [ListSplice]) {
        var builder = Builder()
        builder.append(splices)
        hunks = builder.hunks
    }

    /// Elements that were removed at these positions, ascending, of the list before.
    init(removed positions: [Int]) {
        var builder = Builder()
        var next = 0
        for position in positions {
            builder.keep(position - next)
            builder.remove(1)
            next = position + 1
        }
        hunks = builder.hunks
    }

    var isEmpty: Bool { hunks.isEmpty }

    var splices: [ListSplice] {
        hunks.map {
            ListSplice(position: $0.old, removedCount: $0.removed, inserted: $0.inserted)
        }
    }

    /// Notes an edit of the list as it is now.
    ///
    /// - Complexity: O(hunks behind it), and O(1) for repeated edits of one place at the end.
    mutating func edit(
        at position: Int, removing count: Int, inserting keys: some Collection<ObjectKey>
    ) {
        let end = position &+ count
        let shift = keys.count &- count
        let first = partition { $0.newEnd >= position }
        var last = first
        while last < hunks.count, hunks[last].new <= end { last += 1 }
        if first == last {
            var old = position
            if first > 0 { old = hunks[first - 1].oldEnd &+ position &- hunks[first - 1].newEnd }
            hunks.insert(
                Hunk(old: old, removed: count, new: position, inserted: Array(keys)), at: first)
            if count == 0, keys.isEmpty { hunks.remove(at: first) }
        } else {
            let before = max(hunks[first].new &- position, 0)
            let behind = max(end &- hunks[last - 1].newEnd, 0)
            let oldEnd = hunks[last - 1].oldEnd &+ behind
            if last > first + 1 {
                let tail = hunks[last - 1].inserted
                    .suffix(max(hunks[last - 1].newEnd &- end, 0))
                hunks[first].inserted.removeSubrange(max(position &- hunks[first].new, 0)...)
                hunks[first].inserted.append(contentsOf: keys)
                hunks[first].inserted.append(contentsOf: tail)
                hunks.removeSubrange((first + 1)..<last)
            } else {
                let size = hunks[first].inserted.count
                let low = min(max(position &- hunks[first].new, 0), size)
                let high = min(max(end &- hunks[first].new, low), size)
                hunks[first].inserted.replaceSubrange(low..<high, with: keys)
            }
            hunks[first].old &-= before
            hunks[first].new &-= before
            hunks[first].removed = oldEnd &- hunks[first].old
            if hunks[first].removed == 0, hunks[first].inserted.isEmpty {
                hunks.remove(at: first)
                last = first
            } else {
                last = first + 1
            }
            return shiftHunks(from: last, by: shift)
        }
        shiftHunks(from: first + (count == 0 && keys.isEmpty ? 0 : 1), by: shift)
    }

    private mutating func shiftHunks(from first: Int, by shift: Int) {
        if shift == 0 { return }
        for index in first..<hunks.count { hunks[index].new &+= shift }
    }

    /// The first hunk for which that holds; it holds for all behind it.
    private func partition(_ holds: (Hunk) -> Bool) -> Int {
        var (low, high) = (0, hunks.count)
        while low < high {
            let middle = (low + high) / 2
            if holds(hunks[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The net of this change and one that follows it.
    ///
    /// - Complexity: O(hunks of both and what they insert).
    func followed(by next: ListSplices) -> ListSplices {
        var builder = Builder()
        var source = Source(hunks)
        var done = 0
        for hunk in next.hunks {
            source.take(hunk.old - done) { builder.add($0) }
            source.take(hunk.removed) { builder.drop($0) }
            builder.insert(hunk.inserted[...])
            done = hunk.oldEnd
        }
        source.takeRest { builder.add($0) }
        return ListSplices(builder)
    }

    private init(_ builder: Builder) { hunks = builder.hunks }

    /// A piece of a change.
    private enum Piece {
        case kept(Int)
        case removed(Int)
        case inserted(ArraySlice<ObjectKey>)
    }

    /// Writes hunks from front to back; pieces that touch become one.
    private struct Builder {
        private(set) var hunks: [Hunk] = []
        private var (old, new) = (0, 0)
        private var isOpen = false

        mutating func keep(_ count: Int) {
            if count == 0 { return }
            old &+= count
            new &+= count
            isOpen = false
        }

        mutating func remove(_ count: Int) {
            if count == 0 { return }
            open()
            hunks[hunks.count - 1].removed &+= count
            old &+= count
        }

        mutating func insert(_ keys: ArraySlice<ObjectKey>) {
            if keys.isEmpty { return }
            open()
            hunks[hunks.count - 1].inserted.append(contentsOf: keys)
            new &+= keys.count
        }

        private mutating func open() {
            if !isOpen { hunks.append(Hunk(old: old, removed: 0, new: new, inserted: [])) }
            isOpen = true
        }

        mutating func append(_ splices: [ListSplice]) {
            for splice in splices {
                keep(splice.position - old)
                remove(splice.removedCount)
                insert(splice.inserted[...])
            }
        }

        /// A piece of the change before, which stays.
        mutating func add(_ piece: Piece) {
            switch piece {
            case .kept(let count): keep(count)
            case .removed(let count): remove(count)
            case .inserted(let keys): insert(keys)
            }
        }

        /// A piece of the change before, whose result is removed.
        mutating func drop(_ piece: Piece) {
            switch piece {
            case .kept(let count), .removed(let count): remove(count)
            case .inserted: break
            }
        }
    }

    /// Reads hunks from front to back, by positions of their result.
    private struct Source {
        private let hunks: [Hunk]
        private var index = 0
        private var new = 0
        /// Of the hunk that was begun: how many of its keys were taken.
        private var taken: Int?

        init(_ hunks: [Hunk]) { self.hunks = hunks }

        /// Takes the next `count` elements of the result, and the removals before each.
        mutating func take(_ count: Int, _ body: (Piece) -> Void) {
            var left = count
            while left > 0 {
                guard index < hunks.count else {
                    body(.kept(left))
                    new &+= left
                    return
                }
                let hunk = hunks[index]
                if taken == nil {
                    if new < hunk.new {
                        let kept = min(left, hunk.new &- new)
                        body(.kept(kept))
                        new &+= kept
                        left &-= kept
                        continue
                    }
                    body(.removed(hunk.removed))
                    taken = 0
                }
                let start = taken ?? 0
                let keys = hunk.inserted[start..<min(start + left, hunk.inserted.count)]
                body(.inserted(keys))
                new &+= keys.count
                left &-= keys.count
                taken = start + keys.count
                if taken == hunk.inserted.count {
                    index += 1
                    taken = nil
                }
            }
        }

        mutating func takeRest(_ body: (Piece) -> Void) {
            while index < hunks.count {
                take(max(hunks[index].newEnd &- new, 0), body)
                // a hunk without keys, or at whose end we stood
                if index < hunks.count, new >= hunks[index].newEnd {
                    if taken == nil, new == hunks[index].new {
                        body(.removed(hunks[index].removed))
                    }
                    index += 1
                    taken = nil
                }
            }
        }
    }
}
