extension RealmLog {
    /// A record to be written.
    enum PendingRecord {
        case commit([UInt8])
        case idle
        /// A commit that is a checkpoint, with the checkpoints kept from then on.
        case bulk([UInt8], KeptCheckpoints)
        case checkpoint(KeptCheckpoints)

        var type: RecordType {
            switch self {
            case .commit, .bulk: .commit
            case .idle: .idle
            case .checkpoint: .checkpoint
            }
        }

        /// Whether it is a small record of the log's own.
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
            case .bulk(let body, let kept): body + kept.encodedBehindCommit()
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
