import RegnumEngine

extension MergedDelta {
    /// Merges the summaries of consecutive commits, in commit order, for the named class.
    init(_ summaries: some Sequence<CommitSummary>, tableName: String) {
        self.init(summaries.lazy.compactMap { $0.delta(tableName: tableName) })
    }
}
