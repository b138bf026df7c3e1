/// A change of a list that replaces elements at one position with others.
package struct ListSplice: Sendable, Hashable {
    /// The position in the list before the change.
    package var position: Int
    /// The number of elements removed from that position on.
    package var removedCount: Int
    /// The elements inserted in their place.
    package var inserted: [ObjectKey]

    package init(position: Int, removedCount: Int, inserted: [ObjectKey]) {
        self.position = position
        self.removedCount = removedCount
        self.inserted = inserted
    }
}

/// The changes of one list of one row.
package struct ListChange: Sendable, Hashable {
    package var row: ObjectKey
    /// The splices in ascending order, with at least one retained element between two. `nil` if
    /// there are too many to merge; then they must be computed from the two versions
    /// (`DatabaseRoot.listSplices`).
    package var splices: [ListSplice]?

    package init(row: ObjectKey, splices: [ListSplice]?) {
        self.row = row
        self.splices = splices
    }

    /// The approximate memory use of the change.
    var byteCount: Int {
        (splices ?? []).reduce(24) { $0 + 56 + 8 * $1.inserted.count }
    }
}

/// The net effect of edits of a list by position: the elements of the original list that were
/// retained, and those inserted between them.
///
/// Contents aren't compared: removing and reinserting an element counts as a change. The net effect
/// is independent of the order of edits: edits that retain the same elements give the same splices.
struct ListSplices: Hashable, Sendable {
    struct Hunk: Hashable, Sendable {
        /// The start in the original list, and the number of elements removed there.
        var old: Int
        var removed: Int
        /// The start in the current list, and the elements inserted there.
        var new: Int
        var inserted: [ObjectKey]

        var oldEnd: Int { old &+ removed }
        var newEnd: Int { new &+ inserted.count }
    }

    /// In ascending order, with a retained element between two.
    private(set) var hunks: [Hunk] = []

    init() {}

    /// Creates the net effect of a change's splices: ascending, with positions in the original
    /// list.
    init(_ splices: [ListSplice]) {
        var builder = Builder()
        builder.append(splices)
        hunks = builder.hunks
    }

    /// Creates the net effect of removing the elements at these ascending positions of the original
    /// list.
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

    /// Records an edit of the current list.
    ///
    /// - Complexity: O(following hunks); O(1) for repeated edits of one place at the end.
    mutating func edit(
        at position: Int, removing count: Int, inserting keys: some Collection<ObjectKey>
    ) {
        let end = position &+ count
        let shift = keys.count &- count
        let first = firstIndex(below: hunks.count) { hunks[$0].newEnd >= position }
        var last = first
        while last < hunks.count, hunks[last].new <= end { last += 1 }
        if first == last {
            var old = position
            if first > 0 { old = hunks[first - 1].oldEnd &+ position &- hunks[first - 1].newEnd }
            hunks.insert(Hunk(old: old, removed: 0, new: position, inserted: []), at: first)
            last += 1
        }
        let before = max(hunks[first].new &- position, 0)
        let behind = max(end &- hunks[last - 1].newEnd, 0)
        let oldEnd = hunks[last - 1].oldEnd &+ behind
        if last > first + 1 {
            let tail = hunks[last - 1].inserted.suffix(max(hunks[last - 1].newEnd &- end, 0))
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
        let isEmpty = hunks[first].removed == 0 && hunks[first].inserted.isEmpty
        if isEmpty { hunks.remove(at: first) }
        if shift == 0 { return }
        for index in (isEmpty ? first : first + 1)..<hunks.count { hunks[index].new &+= shift }
    }

    /// Returns the net effect of this change followed by another.
    ///
    /// - Complexity: O(hunks of both and what they insert).
    func followed(by next: ListSplices) -> ListSplices {
        var builder = Builder()
        var source = Source(hunks)
        var done = 0
        for hunk in next.hunks {
            source.consume(hunk.old - done) { builder.add($0) }
            source.consume(hunk.removed) { builder.drop($0) }
            builder.insert(hunk.inserted[...])
            done = hunk.oldEnd
        }
        source.consumeRest { builder.add($0) }
        return ListSplices(builder)
    }

    private init(_ builder: Builder) { hunks = builder.hunks }

    /// A part of a change.
    private enum Piece {
        case kept(Int)
        case removed(Int)
        case inserted(ArraySlice<ObjectKey>)
    }

    /// Builds hunks from front to back, merging adjacent pieces.
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

        /// Adds a piece of the previous change that is retained.
        mutating func add(_ piece: Piece) {
            switch piece {
            case .kept(let count): keep(count)
            case .removed(let count): remove(count)
            case .inserted(let keys): insert(keys)
            }
        }

        /// Adds a piece of the previous change whose result is removed.
        mutating func drop(_ piece: Piece) {
            switch piece {
            case .kept(let count), .removed(let count): remove(count)
            case .inserted: break
            }
        }
    }

    /// Reads hunks from front to back by position in their result.
    private struct Source {
        private let hunks: [Hunk]
        private var index = 0
        private var new = 0
        /// The number of keys consumed from the current hunk, or `nil` before its start.
        private var taken: Int?

        init(_ hunks: [Hunk]) { self.hunks = hunks }

        /// Consumes the next `count` elements of the result, with the removals before each.
        mutating func consume(_ count: Int, _ body: (Piece) -> Void) {
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

        mutating func consumeRest(_ body: (Piece) -> Void) {
            while index < hunks.count {
                consume(max(hunks[index].newEnd &- new, 0), body)
                // A hunk without keys, or one whose end is the current position.
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

/// Returns the first index in `0..<count` for which `holds` returns `true`, or `count`. It must
/// return `true` for all indices after that.
@inline(__always)
func firstIndex(below count: Int, where holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
        let middle = (low + high) / 2
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
}
