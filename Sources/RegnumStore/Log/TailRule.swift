/// The known facts about the log at its first invalid record. `Docs/DURABILITY.md` explains the
/// rule.
struct TailEvidence {
    /// The position of the first record with an invalid checksum, sequence number or chain.
    var firstInvalid: LogPosition
    /// The position up to which bytes are known to have been durable, or visible during this boot:
    /// the maximum of the `durableEnd` of every valid record before or after, the base of a
    /// successor segment, and the control page.
    var vouchedEnd: LogPosition
    /// Whether every byte of the window from `firstInvalid` on is zero.
    var tailIsZero: Bool
    /// Whether the machine hasn't been rebooted since the last writer wrote.
    var isSameBoot: Bool
    /// Whether the bytes from `firstInvalid` on may have been left by a killed process: the
    /// beginning of a record that continues the chain, then zeros.
    var tailIsPrefix: Bool
}

/// The state of the log's end.
enum TailVerdict {
    /// There is nothing after the last valid record.
    case clean
    /// The remains of a batch that was never acknowledged. They are discarded, reported and zeroed.
    case torn
    /// Acknowledged data is damaged, or there are bytes that no writer can have left. The realm
    /// refuses to open.
    case damaged

    static func decide(_ evidence: TailEvidence) -> TailVerdict {
        if evidence.firstInvalid < evidence.vouchedEnd { return .damaged }
        if evidence.tailIsZero { return .clean }
        if evidence.isSameBoot && !evidence.tailIsPrefix { return .damaged }
        return .torn
    }
}
