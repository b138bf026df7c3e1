internal import RegnumEngine

/// Consecutive commits that a stream passes in one step: all that it delivers as one element, or
/// all that it skips.
struct CommitRun {
    /// The version before the first one.
    let since: UInt64
    let isExcluded: Bool
    /// The root of the last one.
    private(set) var root: DatabaseRoot
    private(set) var summaries: [CommitSummary]
    private var labels = OriginList()

    private init(_ root: DatabaseRoot, _ commit: KeptCommit, isExcluded: Bool) {
        since = commit.summary.version - 1
        self.isExcluded = isExcluded
        self.root = root
        summaries = []
        add(root, commit, after: [])
    }

    /// Adds a commit that concerns the stream, and those before it that don't: they may have
    /// changed objects that had left the result and come back.
    private mutating func add(
        _ root: DatabaseRoot, _ commit: KeptCommit, after others: [CommitSummary]
    ) {
        self.root = root
        summaries += others
        summaries.append(commit.summary)
        if commit.isLabelled, let origin = commit.summary.origin { labels.add(origin) }
    }

    /// The labels of the commits that concern the stream, not just by changing the schema.
    var origins: [String] { labels.all }

    /// Removes the next run from commits that were kept for a stream, if any of them concerns it.
    ///
    /// - Parameter version: The version of the stream, up to which commits are dropped.
    static func removeNext(
        from commits: inout ArraySlice<KeptCommit>, after version: UInt64,
        _ request: StreamRequest
    ) -> CommitRun? {
        var run: CommitRun?
        var others: [CommitSummary] = []
        while let commit = commits.first {
            if commit.root == nil { others.append(commit.summary) }
            if let root = commit.root, commit.summary.version > version {
                let isExcluded = request.excludes(commit.summary.origin)
                if let run {
                    let isSeparate = !isExcluded && request.policy == .everyCommit
                    if isSeparate || run.isExcluded != isExcluded { break }
                }
                run?.add(root, commit, after: others)
                if run == nil { run = CommitRun(root, commit, isExcluded: isExcluded) }
                others = []
            }
            commits.removeFirst()
        }
        return run
    }
}
