extension RealmLog {
    /// A record to write.
    enum PendingRecord {
        case commit([UInt8])
        case idle
        /// A bulk commit, which is a checkpoint too, with the checkpoints to keep from then on.
        case bulk([UInt8], KeptCheckpoints)
        case checkpoint(KeptCheckpoints)

        var type: RecordType {
            switch self {
            case .commit, .bulk: .commit
            case .idle: .idle
            case .checkpoint: .checkpoint
            }
        }

        /// Whether it is one of the log's own small records.
        var isBookkeeping: Bool {
            switch self {
            case .idle, .checkpoint: true
            case .commit, .bulk: false
            }
        }

        var body: [UInt8] {
            switch self {
            case .commit(let body): body
            case .idle: []
            case .bulk(let body, let kept): body + kept.encodedAfterCommit()
            case .checkpoint(let kept): kept.encoded()
            }
        }

        var bodyByteCount: Int {
            switch self {
            case .commit(let body): body.count
            case .idle: 0
            case .bulk(let body, _): body.count + KeptCheckpoints.byteCount
            case .checkpoint: KeptCheckpoints.byteCount
            }
        }
    }
}
