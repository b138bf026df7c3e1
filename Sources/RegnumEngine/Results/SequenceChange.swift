/// What turns one sequence of rows into another, for results that are evaluated anew.
///
/// A row may stand in a sequence several times: its first place then corresponds to its first, and so
/// on.
struct SequenceChange {
    let old: [UInt64]
    let new: [UInt64]
    private(set) var change = ResultChange()
    /// By old position: the new one of an entry that stays, else -1.
    private var stays: [Int]

    private struct Occurrence: Hashable {
        var key: UInt64
        var number: Int
    }

    /// Entries that are in both and not `touched` keep their place. Of the others that lie between the
    /// same of these as before, the longest subsequence in unchanged order stays (of several the one
    /// with the lowest old positions). If those that are not touched changed their order, all are
    /// taken for touched.
    ///
    /// - Complexity: O(n log n) for what lies between the common beginning and the common end.
    init(_ old: [UInt64], _ new: [UInt64], isTouched: (UInt64) -> Bool) {
        self.old = old
        self.new = new
        stays = [Int](repeating: -1, count: old.count)
        var start = 0
        while start < old.count, start < new.count, old[start] == new[start] {
            stays[start] = start
            start += 1
        }
        var end = 0
        while old.count - end > start, new.count - end > start,
            old[old.count - 1 - end] == new[new.count - 1 - end]
        {
            end += 1
            stays[old.count - end] = new.count - end
        }
        match(start..<old.count - end, start..<new.count - end, isTouched)
        makeChange()
    }

    /// As pairs that correspond are given: by old position the new one, ascending, -1 for none.
    init(_ old: [UInt64], _ new: [UInt64], stays: [Int]) {
        self.old = old
        self.new = new
        self.stays = stays
        makeChange()
    }

    private mutating func match(
        _ oldRange: Range<Int>, _ newRange: Range<Int>, _ isTouched: (UInt64) -> Bool
    ) {
        if oldRange.isEmpty || newRange.isEmpty { return }
        var counts: [UInt64: Int] = [:]
        var places: [Occurrence: Int] = [:]
        for place in newRange {
            let number = counts[new[place], default: 0]
            counts[new[place]] = number + 1
            places[Occurrence(key: new[place], number: number)] = place
        }
        counts.removeAll(keepingCapacity: true)
        var pairs: [(old: Int, new: Int, isTouched: Bool)] = []
        for place in oldRange {
            let number = counts[old[place], default: 0]
            counts[old[place]] = number + 1
            guard let other = places[Occurrence(key: old[place], number: number)] else { continue }
            pairs.append((place, other, isTouched(old[place])))
        }
        var last = -1
        for pair in pairs where !pair.isTouched {
            if pair.new < last {
                for index in pairs.indices { pairs[index].isTouched = true }
                break
            }
            last = pair.new
        }
        // how many entries that are not touched come before each new position
        var untouchedBefore = [Int](repeating: 0, count: newRange.count + 1)
        for pair in pairs where !pair.isTouched {
            untouchedBefore[pair.new - newRange.lowerBound + 1] = 1
        }
        for index in 1..<untouchedBefore.count {
            untouchedBefore[index] += untouchedBefore[index - 1]
        }
        var before = 0
        var fitting: [(old: Int, new: Int)] = []
        for pair in pairs {
            if !pair.isTouched {
                stays[pair.old] = pair.new
                before += 1
            } else if untouchedBefore[pair.new - newRange.lowerBound] == before {
                fitting.append((pair.old, pair.new))
            }
        }
        for index in longestIncreasingSubsequence(fitting.map(\.new)) {
            stays[fitting[index].old] = fitting[index].new
        }
    }

    private mutating func makeChange() {
        var hasStayed = [Bool](repeating: false, count: new.count)
        for (position, key) in old.enumerated() {
            let place = stays[position]
            if place < 0 {
                change.deletions.append(position)
                change.deletedKeys.append(ObjectKey(rawValue: key))
                continue
            }
            hasStayed[place] = true
        }
        for (position, key) in new.enumerated() where !hasStayed[position] {
            change.insertions.append(position)
            change.insertedKeys.append(ObjectKey(rawValue: key))
        }
    }
}
