/// Computes the edits that turn one short sequence into another, by the greedy algorithm of Myers
/// ("An O(ND) Difference Algorithm and Its Variations", 1986), with a limit on the number of edits.
enum SequenceEdits {
    /// The maximum number of edits. More are reported as one replacement.
    static let maximumDistance = 256

    /// Appends the splices that turn `old`, which starts at `position`, into `new`.
    static func append(
        _ old: [UInt64], _ new: [UInt64], at position: Int, to splices: inout [ListSplice]
    ) {
        var start = 0
        while start < old.count, start < new.count, old[start] == new[start] { start += 1 }
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
            oldEnd -= 1
            newEnd -= 1
        }
        if start == oldEnd && start == newEnd { return }
        guard start < oldEnd, start < newEnd,
            let matches = common(Array(old[start..<oldEnd]), Array(new[start..<newEnd]))
        else {
            splices.append(
                ListSplice(
                    position: position + start, removedCount: oldEnd - start,
                    inserted: new[start..<newEnd].map { ObjectKey(rawValue: $0) }))
            return
        }
        var (oldNext, newNext) = (start, start)
        for (oldPlace, newPlace) in matches + [(oldEnd - start, newEnd - start)] {
            let (oldPlace, newPlace) = (oldPlace + start, newPlace + start)
            if oldPlace > oldNext || newPlace > newNext {
                splices.append(
                    ListSplice(
                        position: position + oldNext, removedCount: oldPlace - oldNext,
                        inserted: new[newNext..<newPlace].map { ObjectKey(rawValue: $0) }))
            }
            (oldNext, newNext) = (oldPlace + 1, newPlace + 1)
        }
    }

    /// Returns the index pairs of a longest common subsequence, or `nil` if it takes more than
    /// `maximumDistance` edits.
    private static func common(_ a: [UInt64], _ b: [UInt64]) -> [(Int, Int)]? {
        let bound = min(maximumDistance, a.count + b.count)
        var furthest = [Int](repeating: 0, count: 2 * bound + 3)
        var trace: [[Int]] = []
        for distance in 0...bound {
            trace.append(Array(furthest[(bound + 1 - distance - 1)...(bound + 1 + distance + 1)]))
            for diagonal in stride(from: -distance, through: distance, by: 2) {
                let k = diagonal + bound + 1
                let isDown =
                    diagonal == -distance
                    || (diagonal != distance && furthest[k - 1] < furthest[k + 1])
                var x = isDown ? furthest[k + 1] : furthest[k - 1] + 1
                while x < a.count, x - diagonal < b.count, x - diagonal >= 0,
                    a[x] == b[x - diagonal]
                {
                    x += 1
                }
                furthest[k] = x
                if x >= a.count, x - diagonal >= b.count {
                    return walkBack(trace, a.count, b.count, distance)
                }
            }
        }
        return nil
    }

    /// `trace[d]` contains the furthest positions before step d on the diagonals -d - 1 ... d + 1.
    private static func walkBack(
        _ trace: [[Int]], _ aCount: Int, _ bCount: Int, _ distance: Int
    ) -> [(Int, Int)] {
        var matches: [(Int, Int)] = []
        var (x, y) = (aCount, bCount)
        for step in stride(from: distance, through: 0, by: -1) {
            let furthest = trace[step]
            let diagonal = x - y
            let k = diagonal + step + 1
            var (startX, startY) = (0, 0)
            if step > 0 {
                let isDown =
                    diagonal == -step || (diagonal != step && furthest[k - 1] < furthest[k + 1])
                let previous = isDown ? diagonal + 1 : diagonal - 1
                startX = furthest[previous + step + 1]
                startY = startX - previous
            }
            // The diagonal run after the edit of this step.
            let (runX, runY) =
                step == 0
                ? (0, 0)
                : (x - min(x - startX, y - startY), y - min(x - startX, y - startY))
            while x > runX, y > runY {
                x -= 1
                y -= 1
                matches.append((x, y))
            }
            (x, y) = (startX, startY)
        }
        return matches.reversed()
    }
}
