/// Replaced nodes that a root still shows, ordered by birth, so that the nodes that older roots
/// don't show are found without scanning the others.
///
/// A list of runs sorted by birth, each at least twice as long as the next. The last run may be
/// unsorted and takes new nodes. A node takes part in O(log n) merges.
struct HeldNodes {
    private struct Run {
        var nodes: [HeldNode]
        var isSorted: Bool
    }

    private var runs: [Run] = []
    private(set) var byteCount = 0

    var isEmpty: Bool { runs.isEmpty }

    /// All nodes.
    var nodes: [HeldNode] { runs.flatMap(\.nodes) }

    mutating func append(_ nodes: [HeldNode]) {
        for held in nodes { byteCount += held.byteCount }
        if let last = runs.indices.last, !runs[last].isSorted {
            runs[last].nodes += nodes
        } else {
            runs.append(Run(nodes: nodes, isSorted: false))
        }
    }

    /// Removes and returns the nodes born after `stamp`.
    mutating func remove(bornAfter stamp: UInt64) -> [HeldNode] {
        var taken: [HeldNode] = []
        if stamp == 0 {
            taken = runs.count == 1 ? runs[0].nodes : nodes
            self = HeldNodes()
            return taken
        }
        for index in runs.indices {
            if !runs[index].isSorted {
                runs[index].nodes.sort { $0.birth < $1.birth }
                runs[index].isSorted = true
            }
            while let last = runs[index].nodes.last, last.birth > stamp {
                taken.append(last)
                byteCount -= last.byteCount
                runs[index].nodes.removeLast()
            }
        }
        runs.removeAll { $0.nodes.isEmpty }
        return taken
    }

    /// Takes over the nodes of another list.
    mutating func absorb(_ other: HeldNodes) {
        if runs.isEmpty {
            self = other
            return
        }
        byteCount += other.byteCount
        runs += other.runs
        runs.sort { $0.nodes.count > $1.nodes.count }
        var index = runs.count - 1
        while index > 0 {
            if runs[index - 1].nodes.count < 2 * runs[index].nodes.count {
                runs[index - 1] = HeldNodes.merge(runs[index - 1], runs[index])
                runs.remove(at: index)
                if index < runs.count { index += 1 }
            }
            index -= 1
        }
    }

    private static func merge(_ first: Run, _ second: Run) -> Run {
        var nodes = first.nodes + second.nodes
        let isSorted = first.isSorted && second.isSorted
        // The sort finds the two runs and merges them.
        if isSorted { nodes.sort { $0.birth < $1.birth } }
        return Run(nodes: nodes, isSorted: isSorted)
    }
}

/// A replaced node with a copy of the header fields that decide when it is freed.
struct HeldNode {
    let node: Node
    let birth: UInt64
    let byteCount: Int

    @inline(__always)
    init(_ node: Node) {
        self.node = node
        birth = node.birth
        byteCount = node.byteCount
    }
}
