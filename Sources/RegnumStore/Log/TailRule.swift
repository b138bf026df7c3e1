/// What is known about the log where its first invalid record begins. `Docs/DURABILITY.md` has the
/// rule and its reasons.
package struct TailEvidence: Sendable, Equatable {
    /// The position at which the first record fails its checksums, sequence or chain.
    package var firstInvalid: LogPosition
    /// Up to here something vouches that the bytes were durable, or visible in this boot: the
    /// greatest `durableEnd` of any valid record before or behind, the base of a successor segment,
    /// the control page.
    package var vouchedEnd: LogPosition
    /// Every byte of the window from `firstInvalid` on is zero.
    package var tailIsZero: Bool
    /// The machine was not booted since the last writer wrote.
    package var isSameBoot: Bool
    /// The bytes from `firstInvalid` on can be what a killed process leaves: the beginning of a
    /// record that goes on the chain, then zeros.
    package var tailIsPrefix: Bool

    package init(
        firstInvalid: LogPosition, vouchedEnd: LogPosition, tailIsZero: Bool, isSameBoot: Bool,
        tailIsPrefix: Bool
    ) {
        self.firstInvalid = firstInvalid
        self.vouchedEnd = vouchedEnd
        self.tailIsZero = tailIsZero
        self.isSameBoot = isSameBoot
        self.tailIsPrefix = tailIsPrefix
    }
}

/// What a log's end turns out to be.
package enum TailVerdict: Sendable, Equatable {
    /// Nothing behind the last valid record.
    case clean
    /// The remains of a batch that was never acknowledged: discarded, reported, zeroed.
    case torn
    /// Acknowledged data is damaged, or bytes stand there that nobody can have written: refuse.
    case damaged

    package static func decide(_ evidence: TailEvidence) -> TailVerdict {
        if evidence.firstInvalid < evidence.vouchedEnd { return .damaged }
        if evidence.tailIsZero { return .clean }
        if evidence.isSameBoot && !evidence.tailIsPrefix { return .damaged }
        return .torn
    }
}
