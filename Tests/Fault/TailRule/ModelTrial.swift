import RegnumSimulation
import RegnumTestSupport

/// A random log, written by the model, as left by a crash or damage: random batches, a part of the
/// unsynced sectors, torn sectors, bodies that embed records, faults.
struct ModelTrial {
    static let sectorByteCount = 64
    static let maximumBodyByteCount = 2048

    /// The way in which the machine stopped.
    enum Stop: CaseIterable { case closed, killed, powerCut }

    private(set) var segments: [ModelSegment] = []
    private(set) var control: ModelControl?
    let realm: (UInt64, UInt64)
    let boot: (UInt64, UInt64)
    let stop: Stop
    /// Whether something was changed that no crash changes.
    private(set) var isDamaged = false
    /// Whether a body contains a record that is valid at its location, made with knowledge of the
    /// salt.
    private(set) var isForged = false
    /// Every body that was written, in order.
    private(set) var bodies: [[UInt8]] = []
    /// The number of bodies that were acknowledged as durable.
    private(set) var durableCount = 0
    /// Whether the control page, if there is one, is the realm's.
    var hasOwnPage: Bool { control.map { $0.realm == realm } ?? true }
    /// Whether the control page on disk or an undamaged IDLE record vouches for the last batch.
    private(set) var isLastBatchVouched = true
    private var isPageNewest = false

    private var numbers: SeededRandom
    private var position: UInt64 = 0
    private var durableEnd: UInt64 = 0
    private var sequence: UInt64 = 1
    private var chain: UInt32 = 0
    /// Every durable end so far.
    private var durableEnds: [UInt64] = [0]
    /// The segments as they were at the last sync.
    private var synced: [ModelSegment] = []

    init(seed: UInt64) {
        var numbers = SeededRandom(seed)
        realm = (numbers.next(), numbers.next())
        boot = (numbers.next(), numbers.next())
        stop = numbers.oneOf(Stop.allCases)
        self.numbers = numbers
        addSegment()
        let batchCount = 1 + self.numbers.below(8)
        for number in 0..<batchCount {
            let isLast = number == batchCount - 1
            write(1 + self.numbers.below(4))
            if !isLast || stop == .closed { sync() }
            // Written and lost again: a failed sync, after which the log continues in a new
            // segment.
            if !isLast, self.numbers.chance(0.08) { reframe() }
        }
        let isIdle = stop == .closed && self.numbers.chance(0.7)
        if isIdle {
            append(type: 6, [])
            sync()
        }
        makeControl(isIdle: isIdle)
        switch stop {
        case .closed: break
        case .killed: cutOff()
        case .powerCut: loseSectors()
        }
        if self.numbers.chance(0.4) { damage() }
    }

    // MARK: Writing

    private mutating func addSegment() {
        let size = [1024, 2048, 3072][numbers.below(3)]
        segments.append(
            ModelSegment(
                realm: realm, number: segments.count, salt: numbers.next(), base: position,
                firstSequence: sequence, chainBefore: chain, recordByteCount: size))
        synced = segments
    }

    private mutating func append(type: UInt8 = 1, _ body: [UInt8]) {
        let index = segments.count - 1
        let offset = segments[index].offset(position)
        let record = ModelRecord(
            type: type, sequence: sequence, durableEnd: durableEnd, chainBefore: chain, body: body)
        let bytes = record.bytes(salt: segments[index].salt, fileOffset: offset)
        segments[index].file.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        chain = ModelRecord.chain(of: bytes)
        position += UInt64(bytes.count)
        sequence += 1
        if type == 1 { bodies.append(body) }
    }

    private mutating func write(_ count: Int) {
        for _ in 0..<count {
            let payload =
                numbers.chance(0.15)
                ? adversarial()
                : numbers.bytes(
                    numbers.oneOf(
                        [0, 5, 20, 60, 150, 300]))
            let body = ModelBytes.number(UInt64(bodies.count + 1), 8) + payload
            if position + UInt64(body.count + 48) + 40 > segments.last!.end {
                sync()
                addSegment()
            }
            append(body)
        }
    }

    /// Returns bytes of the log, including records, or a record that is valid at exactly its
    /// location.
    private mutating func adversarial() -> [UInt8] {
        let last = segments.last!
        let offset = last.offset(position) + 48
        if numbers.chance(0.3) {
            isForged = true
            let inner = ModelRecord(
                type: 1, sequence: sequence + UInt64(numbers.below(2)),
                durableEnd: position / 8 * UInt64(numbers.below(9)), chainBefore: chain,
                body: ModelBytes.number(77, 8))
            return inner.bytes(salt: last.salt, fileOffset: offset)
        }
        let used = last.offset(position)
        let start = 4096 + numbers.below(max(1, (used - 4096) / 8)) * 8
        return Array(last.file[start..<min(used, start + 200)])
    }

    private mutating func sync() {
        durableEnd = position
        durableEnds.append(position)
        synced = segments
        durableCount = bodies.count
    }

    /// Writes a batch whose sync fails; a new segment begins at the last durable position, with all
    /// of its records or none.
    private mutating func reframe() {
        let before = (position, sequence, chain, bodies.count)
        let last = segments.count - 1
        guard last >= 0 else { return }
        write(1)
        guard segments.count - 1 == last else { return sync() }
        let lost = Array(bodies[before.3...])
        bodies.removeLast(lost.count)
        (position, sequence, chain) = (before.0, before.1, before.2)
        addSegment()
        if numbers.chance(0.5) {
            for body in lost where position + UInt64(body.count + 88) < segments.last!.end {
                append(body)
            }
        }
        sync()
    }

    // MARK: Stopping

    /// Makes the page as of the last publication, or an older one, or none.
    private mutating func makeControl(isIdle: Bool) {
        var page = ModelControl(realm: realm, boot: boot)
        page.segmentNumber = segments.count - 1
        page.durableEnd = durableEnd
        page.visibleEnd = durableEnd
        page.version = UInt64(durableCount)
        page.isWriting = stop != .closed
        if stop == .killed, numbers.chance(0.3) {
            // Relaxed commits: visible but not durable.
            page.visibleEnd = position
            page.isWriting = false
        }
        if numbers.chance(0.1) { page.isPoisoned = true }
        if stop == .powerCut, numbers.chance(0.5) {
            page.durableEnd = numbers.oneOf(durableEnds)
            page.visibleEnd = page.durableEnd
        }
        if numbers.chance(0.1) { page.boot = nil }
        if numbers.chance(0.05) { page.realm.0 ^= 1 }
        control = page
        if stop != .killed, numbers.chance(0.2) { control = nil }
        isPageNewest = control.map { $0.realm == realm && $0.durableEnd == durableEnd } ?? false
        isLastBatchVouched = isIdle || isPageNewest
    }

    /// A killed process has written the beginning of its batch.
    private mutating func cutOff() {
        guard control?.isWriting == true, position > durableEnd else { return }
        let index = segments.count - 1
        let first = max(durableEnd, segments[index].base)
        let kept = first + UInt64(numbers.below(Int(position - first) + 1))
        let range = segments[index].offset(kept)..<segments[index].offset(position)
        segments[index].file.replaceSubrange(
            range, with: repeatElement(0, count: range.count))
    }

    /// Keeps arbitrary sectors of the unsynced data on disk, some of them torn.
    private mutating func loseSectors() {
        let index = segments.count - 1
        let new = segments[index].file
        segments[index].file = synced[index].file
        let mode = numbers.below(4)
        for from in stride(from: 4096, to: new.count, by: Self.sectorByteCount) {
            let range = from..<from + Self.sectorByteCount
            guard new[range] != synced[index].file[range] else { continue }
            if mode == 2 || (mode != 0 && numbers.chance(0.5)) {
                segments[index].file.replaceSubrange(range, with: new[range])
            } else if mode == 3, numbers.chance(0.3) {
                let part = from..<from + numbers.below(Self.sectorByteCount)
                segments[index].file.replaceSubrange(part, with: new[part])
            }
        }
    }

    /// Changes a bit, a sector, or the tail.
    private mutating func damage() {
        isDamaged = true
        let index = numbers.below(segments.count)
        let used = max(4104, min(segments[index].offset(position), segments[index].file.count))
        let place = 4096 + numbers.below(used - 4096)
        let sector = place / Self.sectorByteCount * Self.sectorByteCount
        switch numbers.below(5) {
        case 0:
            fill(index, place, [segments[index].file[place] ^ 1 << UInt8(numbers.below(8))])
        case 1: fill(index, sector, numbers.bytes(Self.sectorByteCount))
        case 2: fill(index, sector, [UInt8](repeating: 0, count: Self.sectorByteCount))
        case 3:
            let other =
                4096 + numbers.below((used - 4096) / Self.sectorByteCount + 1)
                * Self.sectorByteCount
            let end = min(other + Self.sectorByteCount, segments[index].file.count)
            fill(index, sector, Array(segments[index].file[other..<end]))
        default:
            let last = segments.count - 1
            let start = segments[last].offset(position)
            fill(last, start + numbers.below(9) * 8, numbers.bytes(1 + numbers.below(90)))
        }
    }

    private mutating func fill(_ index: Int, _ start: Int, _ bytes: [UInt8]) {
        let end = min(start + bytes.count, segments[index].file.count)
        guard start < end else { return }
        // An IDLE record is the last one and has 40 bytes.
        if index == segments.count - 1, end > segments[index].offset(position) - 40 {
            isLastBatchVouched = isPageNewest
        }
        segments[index].file.replaceSubrange(start..<end, with: bytes[..<(end - start)])
    }
}
