import RegnumSimulation
import RegnumTestSupport

/// A second implementation of the rule in `Docs/DURABILITY.md` ("Opening: torn tail or damage"), as
/// a function of the evidence: which records are valid, what vouches for them, and the bytes of the
/// tail.
struct ModelOpening: Equatable {
    enum Verdict: Equatable { case clean, torn, refused }
    var verdict: Verdict
    /// The bodies of the commits that are kept; if refused, those before the damage.
    var bodies: [[UInt8]]
    /// Positions of the valid records that weren't known to be durable; empty in a poisoned log,
    /// where they are framed again.
    var adopted: Range<UInt64>
    /// Versions of complete commits among what is discarded.
    var discardedVersions: [UInt64]
    /// The end of the valid records.
    var end: UInt64
}

struct ModelRule {
    var segments: [ModelSegment]
    var control: ModelControl?
    var realm: (UInt64, UInt64)
    /// The current boot id; `nil` if the system has none.
    var boot: (UInt64, UInt64)?
    var maximumBodyByteCount: Int

    private var page: ModelControl? {
        control.flatMap { $0.realm == realm ? $0 : nil }
    }

    private var isSameBoot: Bool {
        guard let boot, let then = page?.boot else { return false }
        return boot == then
    }

    /// Whether the control page shows that the log was replaced by another realm's.
    private var isOfOtherRealm: Bool {
        guard let control, let boot, let then = control.boot else { return false }
        return control.realm != realm && control.version > 0 && boot == then
    }

    func open() -> ModelOpening {
        var position: UInt64 = 0
        var sequence: UInt64 = 1
        var chain: UInt32 = 0
        var vouched: UInt64 = 0
        var bodies: [[UInt8]] = []
        func refused() -> ModelOpening {
            ModelOpening(
                verdict: .refused, bodies: bodies, adopted: 0..<0, discardedVersions: [],
                end: position)
        }
        for (index, segment) in segments.enumerated() {
            guard position == segment.base, sequence == segment.firstSequence,
                chain == segment.chainBefore
            else { return refused() }
            let isLast = index == segments.count - 1
            let limit = isLast ? segment.end : segments[index + 1].base
            while position < limit,
                let (record, count, sum) = ModelRecord.read(
                    segment.file, at: segment.offset(position), salt: segment.salt,
                    maximumBodyByteCount: maximumBodyByteCount),
                record.sequence == sequence, record.chainBefore == chain,
                record.durableEnd <= position, position + UInt64(count) <= limit
            {
                if record.type == 1 { bodies.append(record.body) }
                vouched = max(vouched, record.durableEnd)
                position += UInt64(count)
                sequence += 1
                chain = sum
            }
            if !isLast, position < limit { return refused() }
        }
        guard let last = segments.last, !isOfOtherRealm else { return refused() }
        let behind = scan(last, position)
        let durable = max(vouched, behind.vouched, page?.durableEnd ?? 0)
        let isPoisoned = page?.isPoisoned ?? false
        let knowsBoot = isSameBoot && !isPoisoned
        let acknowledged = knowsBoot ? max(durable, page?.visibleEnd ?? 0) : durable
        if position < acknowledged { return refused() }
        let isZero = behind.nonZeroByteCount == 0
        if !isZero, knowsBoot,
            !isBeginning(last, position, behind.nonZeroByteCount, sequence, chain)
        {
            return refused()
        }
        let unsure = max(min(durable, position), last.base)
        return ModelOpening(
            verdict: isZero ? .clean : .torn, bodies: bodies,
            adopted: isPoisoned ? position..<position : unsure..<position,
            discardedVersions: isZero ? [] : behind.versions, end: position)
    }

    /// Scans what follows the valid records: vouchers and complete commits at multiples of 8.
    private func scan(
        _ segment: ModelSegment, _ position: UInt64
    ) -> (vouched: UInt64, versions: [UInt64], nonZeroByteCount: Int) {
        let start = segment.offset(position)
        let count = (segment.file[start...].lastIndex { $0 != 0 } ?? start - 1) + 1 - start
        var vouched: UInt64 = 0
        var versions: [UInt64] = []
        var offset = start
        while offset < start + count {
            guard
                let (record, byteCount, _) = ModelRecord.read(
                    segment.file, at: offset, salt: segment.salt,
                    maximumBodyByteCount: maximumBodyByteCount),
                record.durableEnd <= segment.base + UInt64(offset - 4096)
            else {
                offset += 8
                continue
            }
            vouched = max(vouched, record.durableEnd)
            if record.type == 1, record.body.count >= 8 {
                versions.append(ModelBytes.number(record.body, at: 0, 8))
            }
            offset += byteCount
        }
        return (vouched, versions, count)
    }

    /// Whether the tail is what a killed process leaves: the beginning of the next record.
    private func isBeginning(
        _ segment: ModelSegment, _ position: UInt64, _ count: Int, _ sequence: UInt64,
        _ chain: UInt32
    ) -> Bool {
        let start = segment.offset(position)
        if count < 40 {
            let expected = [
                (16, ModelBytes.number(sequence, 8)), (32, ModelBytes.number(UInt64(chain), 4)),
            ]
            for (field, bytes) in expected {
                for (index, byte) in bytes.enumerated() where field + index < count {
                    if segment.file[start + field + index] != byte { return false }
                }
            }
            return true
        }
        guard
            let (header, bodyByteCount) = ModelRecord.header(
                segment.file, at: start, salt: segment.salt)
        else { return false }
        return bodyByteCount <= maximumBodyByteCount && header.sequence == sequence
            && header.chainBefore == chain && count < 40 + bodyByteCount
    }
}
