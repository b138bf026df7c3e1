/// The change from one sequence of rows to another, for results that are evaluated again.
///
/// A row may occur several times in a sequence: its first occurrences correspond to each other,
/// then its second, and so on.
struct SequenceChange {
    let old: [UInt64]
    let new: [UInt64]
    private(set) var change = ResultChange()
    /// By old position: the new position of an entry that stays, -1 for others.
    private var stays: [Int]

    private struct Occurrence: Hashable {
        var key: UInt64
        var number: Int
    }

    /// Entries in both that aren't `touched` stay. Of the others that are still between the same
    /// untouched entries, the longest subsequence in unchanged order stays (of several, the one
    /// with the lowest old positions). If the untouched entries are in a different order, all
    /// entries count as touched.
    ///
    /// - Complexity: O(n log n) for the part between the common prefix and the common suffix.
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

    /// Uses given pairs: by old position the new one, ascending, -1 for none.
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
        // the number of untouched entries before each new position
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
