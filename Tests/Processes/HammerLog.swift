import RegnumTestSupport

/// The output of several processes that committed back to back, merged in commit order.
struct HammerLog {
    struct Commit {
        let child: Int
        let version: UInt64
        /// When `write` was called, its body began, and it returned; in nanoseconds.
        let called: UInt64
        let began: UInt64
        let returned: UInt64
    }

    let childCount: Int
    let commits: [Commit]

    init(_ children: [ChildProcess]) throws {
        childCount = children.count
        commits = try children.enumerated().flatMap { index, child in
            try child.lines.dropFirst().map { line in  // the first one is "ready"
                let numbers = line.split(separator: " ").compactMap { UInt64($0) }
                guard numbers.count == 4 else { throw ChildFailure("a commit, not \"\(line)\"") }
                return Commit(
                    child: index, version: numbers[0], called: numbers[1], began: numbers[2],
                    returned: numbers[3])
            }
        }.sorted { $0.version < $1.version }
    }

    /// The number of commits of each process.
    var shares: [Int] {
        commits.reduce(into: Array(repeating: 0, count: childCount)) { $0[$1.child] += 1 }
    }

    /// How often a commit was made by a different process than the one before.
    var handOffs: Int {
        zip(commits, commits.dropFirst()).count { $0.child != $1.child }
    }

    /// The longest time that each process waited for its body, in microseconds.
    var longestWaits: [UInt64] {
        commits.reduce(into: Array(repeating: 0, count: childCount)) { waits, commit in
            waits[commit.child] = max(waits[commit.child], (commit.began - commit.called) / 1000)
        }
    }

    /// How often a process committed twice in a row without releasing the lock in between, although
    /// another one had called `write` before the first of the two bodies.
    var overtakings: Int {
        var next: [Int: Commit] = [:]  // the next commit of each process
        var count = 0
        for index in commits.indices.dropFirst().reversed() {
            let (earlier, later) = (commits[index - 1], commits[index])
            next[later.child] = later
            // Taking the lock again after releasing it to others takes longer.
            guard earlier.child == later.child, later.began - later.called < 10_000 else {
                continue
            }
            if next.values.contains(where: { $0.child != later.child && $0.called < earlier.began })
            {
                count += 1
            }
        }
        return count
    }

    /// For each commit, the maximum number of commits that one other process made between the call
    /// of `write` and its body. A call that found the lock taken becomes visible as a waiter only
    /// some microseconds later, and a woken waiter needs the processor: commits until then count
    /// here too.
    var passesOver: [Int] {
        commits.indices.map { index in
            let commit = commits[index]
            var counts: [Int: Int] = [:]
            for other in commits[..<index].reversed() {
                if other.child == commit.child || other.began < commit.called { break }
                counts[other.child, default: 0] += 1
            }
            return counts.values.max() ?? 0
        }
    }
}
