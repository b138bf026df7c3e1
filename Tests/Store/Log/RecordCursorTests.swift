import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import RegnumStore

/// Reading the records of a segment in order.
@Suite struct RecordCursorTests {
    private let disk = SimFileSystem(seed: 2)
    private let salt: UInt64 = 0xABCD

    /// Makes a segment with records of these bodies; `change` alters one header before it is
    /// framed.
    private func makeSegment(
        _ bodies: [[UInt8]], change: (Int, inout RecordHeader) -> Void = { _, _ in }
    ) throws -> LogSegment {
        let directory = try disk.openDirectory("/sim/a.realm", .creating)
        let header = SegmentHeader(
            realmID: Identity128(high: 1, low: 1), generation: 0, number: 0, firstSequence: 10,
            salt: salt, base: 1000, previousChain: 5)
        var frames: [UInt8] = []
        var chain: UInt32 = 5
        for (index, body) in bodies.enumerated() {
            var record = RecordHeader(
                type: .commit, sequence: 10 + UInt64(index), durableEnd: 1000,
                previousChain: chain, writerEpoch: 1)
            change(index, &record)
            chain = RecordFraming.append(
                record, body: body, salt: salt, fileOffset: 4096 + UInt64(frames.count),
                to: &frames)
        }
        let file = try directory.create("log-0-0")
        try file.write(header.encoded() + frames + [UInt8](repeating: 0, count: 64), at: 0)
        return try LogSegment.open(directory, 0, StoreOptions())
    }

    private func cursor(
        _ segment: LogSegment, limit: LogPosition = .max, maximumBody: Int = 1 << 20
    )
        -> RecordCursor
    {
        var options = StoreOptions()
        options.maximumRecordBodyByteCount = maximumBody
        return RecordCursor(segment, limit: limit, options)
    }

    private func readAll(_ cursor: RecordCursor) throws -> (bodies: [[UInt8]], end: LogPosition) {
        var cursor = cursor
        var bodies: [[UInt8]] = []
        while let (_, body) = try cursor.next() { bodies.append(body) }
        return (bodies, cursor.position)
    }

    @Test func recordsComeInOrderAcrossReadBuffers() throws {
        let bodies = (0..<40).map { [UInt8](repeating: UInt8($0), count: 20_000 + $0) }
        let read = try readAll(cursor(makeSegment(bodies)))
        expectEqual(read.bodies, bodies)
        expectEqual(
            read.end,
            1000
                + bodies.reduce(0) {
                    $0 + UInt64(RecordFraming.byteCount(bodyByteCount: $1.count))
                })
    }

    @Test func nothingIsReadAtOrBehindTheLimit() throws {
        let segment = try makeSegment([[1], [2], [3]])
        try expectEqual(readAll(cursor(segment, limit: 1000 + 96)).bodies, [[1], [2]])
        try expectEqual(readAll(cursor(segment, limit: 1000 + 95)).bodies, [[1]])
        try expectTrue(readAll(cursor(segment, limit: 1000)).bodies.isEmpty)
        try expectTrue(readAll(cursor(segment, limit: 0)).bodies.isEmpty)
    }

    @Test func aGapInTheSequenceEndsTheLog() throws {
        let segment = try makeSegment([[1], [2], [3]]) { if $0 == 1 { $1.sequence += 1 } }
        try expectEqual(readAll(cursor(segment)).bodies, [[1]])
    }

    @Test func aBrokenChainEndsTheLog() throws {
        let segment = try makeSegment([[1], [2], [3]]) { if $0 == 2 { $1.previousChain ^= 1 } }
        try expectEqual(readAll(cursor(segment)).bodies, [[1], [2]])
    }

    @Test func aRecordThatVouchesForItselfEndsTheLog() throws {
        let segment = try makeSegment([[1], [2], [3]]) { if $0 == 1 { $1.durableEnd = 1049 } }
        try expectEqual(readAll(cursor(segment)).bodies, [[1]])
        let honest = try makeOther([[1], [2], [3]]) { if $0 == 1 { $1.durableEnd = 1048 } }
        try expectEqual(readAll(cursor(honest)).bodies.count, 3)
    }

    private func makeOther(
        _ bodies: [[UInt8]], change: (Int, inout RecordHeader) -> Void
    ) throws -> LogSegment {
        try disk.openDirectory("/sim/a.realm", .creating).unlink("log-0-0")
        return try makeSegment(bodies, change: change)
    }

    @Test func aBodyBeyondTheLimitEndsTheLog() throws {
        let segment = try makeSegment([[1], [UInt8](repeating: 2, count: 100), [3]])
        try expectEqual(readAll(cursor(segment, maximumBody: 99)).bodies.count, 1)
        try expectEqual(readAll(cursor(segment, maximumBody: 100)).bodies.count, 3)
    }
}
