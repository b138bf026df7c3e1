import RegnumTestSupport
import Testing

@testable import RegnumStore

/// The timelines of a realm, and their place in the headers of segments.
@Suite struct TimelinesTests {
    private func id(_ number: UInt64) -> Identity128 { Identity128(high: number, low: ~number) }

    private func header(_ timelines: Timelines) -> SegmentHeader {
        var header = SegmentHeader(
            realmID: id(1), generation: 0, number: 3, firstSequence: 9, salt: 7, base: 4096,
            previousChain: 5)
        header.timelines = timelines
        header.isCopy = timelines != Timelines(id(1))
        return header
    }

    @Test func versionsKeepTheirTimeline() {
        let first = Timelines(id(1))
        expectEqual(first.id(at: 0), id(1))
        let second = first.forked(after: 10, as: id(2))
        let third = second.forked(after: 15, as: id(3))
        for (version, expected) in [(0, 1), (10, 1), (11, 2), (15, 2), (16, 3), (99, 3)] {
            expectEqual(third.id(at: UInt64(version)), id(UInt64(expected)))
        }
        expectEqual(third.lastVersion(of: id(1)), 10)
        expectEqual(third.lastVersion(of: id(2)), 15)
        expectNil(third.lastVersion(of: id(3)))
    }

    @Test func anEarlierStateHasTheTimelinesOfThatTime() {
        let all = Timelines(id(1)).forked(after: 10, as: id(2)).forked(after: 15, as: id(3))
        expectEqual(all.through(16), all)
        expectEqual(all.through(15), Timelines(id(1)).forked(after: 10, as: id(2)))
        expectEqual(all.through(10), Timelines(id(1)))
        // It leaves the timeline of that version, not the newest.
        let other = all.forked(after: 4, as: id(4))
        expectEqual(other, Timelines(id(1)).forked(after: 4, as: id(4)))
        let same = all.forked(after: 10, as: id(4))
        expectEqual(same, Timelines(id(1)).forked(after: 10, as: id(4)))
    }

    @Test func theOldestAreForgotten() throws {
        var timelines = Timelines(id(1))
        for number in 2...100 as ClosedRange<UInt64> {
            timelines = timelines.forked(after: number * 10, as: id(number))
        }
        expectEqual(timelines.past.count, Timelines.maximumPastCount)
        expectEqual(timelines.id(at: 1_000), id(99))
        expectNil(timelines.lastVersion(of: id(1)))
        let bytes = header(timelines).encoded()
        try expectEqual(SegmentHeader(decoding: bytes, path: "p"), header(timelines))
    }

    @Test func headersHaveThem() throws {
        let original = header(Timelines(id(1)))
        // as in realms that were made before there were timelines
        expectEqual(original.encoded()[344..<4092].max(), 0)
        try expectEqual(SegmentHeader(decoding: original.encoded(), path: "p"), original)
        let copy = header(Timelines(id(1)).forked(after: 0, as: id(2)).forked(after: 8, as: id(3)))
        let decoded = try SegmentHeader(decoding: copy.encoded(), path: "p")
        expectTrue(decoded == copy && decoded.isCopy && !original.isCopy)
    }

    @Test func invalidOnesAreDamage() {
        let bytes = header(Timelines(id(1)).forked(after: 5, as: id(2)).forked(after: 8, as: id(3)))
            .encoded()
        let changes: [(offset: Int, value: UInt64)] = [
            (344 + 16, 65),  // too many
            (344 + 24 + 16, 8),  // versions that don't ascend
        ]
        for (offset, value) in changes {
            var changed = bytes
            Bytes.store(value, in: &changed, at: offset)
            Bytes.seal(&changed, at: 4092)
            let code = codeThrown { _ = try SegmentHeader(decoding: changed, path: "p") }
            expectEqual(code, .invalidDatabase)
        }
    }
}
