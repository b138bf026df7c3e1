import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// Maintained results of lists, and of all rows of a class: nothing is copied, and retained results
/// don't change.
@Suite struct FollowedListTests {
    private struct Held {
        var result: ResultTree
        var expected: [ObjectKey]
    }

    @Test func aListIsFollowedAsItIsSpliced() throws {
        var generator = SeededRandom("FollowedListTests.aListIsFollowed")
        let setup = EngineTransaction(base: .empty)
        let classKey = try setup.addTable(
            name: "Song", columns: [ColumnDefinition(name: "plays", type: .int)])
        let album = try setup.addTable(name: "Album", columns: [])
        let list = try setup.addList(album, name: "songs", target: classKey)
        let songs = try (0..<2_000).map { try setup.insert(classKey, [.int(Int64($0))]) }
        let owner = try setup.insert(album, [])
        // Each occurs twice, so that occurrences are distinguished.
        var expected = (0..<4_000).map { songs[$0 % 2_000] }
        try setup.insertIntoList(album, owner, list, at: 0, expected)
        var root = try setup.commit(timestampMicroseconds: 0, maximumBodyByteCount: .max).root
        let plan = QueryPlan(
            tableName: "Song", source: .list(tableName: "Album", row: owner, name: "songs"))
        let counters = StreamCounters()
        var result = try plan.evaluate(root, counters: counters)
        var held = [Held(result: result, expected: expected)]
        for round in 0..<40 {
            let transaction = EngineTransaction(base: root)
            for _ in 0..<1 + generator.below(5) {
                let place = generator.below(expected.count)
                let song = songs[generator.below(songs.count)]
                switch generator.below(3) {
                case 0:
                    transaction.removeFromList(album, owner, list, place..<place + 1)
                    expected.remove(at: place)
                case 1:
                    try transaction.insertIntoList(album, owner, list, at: place, [song])
                    expected.insert(song, at: place)
                default:
                    try transaction.set(classKey, song, ColumnKey(rawValue: 0), .int(-1))
                }
            }
            let commit = try transaction.commit(timestampMicroseconds: 0)
            let step = VersionStep(
                from: root, to: commit.root,
                summaries: round % 4 == 0 ? nil : [commit.summary], counters: counters)
            let before = Array(result)
            var change: ResultChange
            (result, change) = try plan.advance(result, step)
            expectEqual(Array(result), expected)
            expectEqual(AdvanceTests.apply(change, before, expected), expected)
            expectEqual(change.deletedKeys, change.deletions.map { before[$0] })
            expectTrue(change.insertions.count <= 5 && change.deletions.count <= 5)
            for _ in 0..<20 {
                let place = generator.below(expected.count)
                expectEqual(result[place], expected[place])
            }
            var marks = RowMarks()
            marks.rows[songs[round]] = RowMarks.Mark()
            try plan.mark(&change, marks, in: result, step)
            let deleted = Set(change.deletions)
            expectEqual(
                change.modifications,
                before.indices.filter { before[$0] == songs[round] && !deleted.contains($0) })
            expectTrue(change.newModifications.allSatisfy { expected[$0] == songs[round] })
            root = commit.root
            if generator.oneIn(8) { held.append(Held(result: result, expected: expected)) }
        }
        for held in held { expectEqual(Array(held.result), held.expected) }
        expectEqual(counters.rowsEvaluated.value, 0)
        // It is deleted with its owner.
        let transaction = EngineTransaction(base: root)
        transaction.delete(album, owner)
        let commit = try transaction.commit(timestampMicroseconds: 0)
        let step = VersionStep(from: root, to: commit.root, summaries: [commit.summary])
        let (gone, change) = try plan.advance(result, step)
        expectTrue(gone.isEmpty && change.deletedKeys == expected)
    }

    @Test func allRowsAreFollowedWithoutALookAtThem() throws {
        var generator = SeededRandom("FollowedListTests.allRows")
        var content = ScanContent("Message", [ColumnDefinition(name: "id", type: .int)])
        content.insert((0..<3_000).map { [.int(Int64($0))] })
        let plan = QueryPlan(tableName: "Message")
        let counters = StreamCounters()
        var root = content.root
        var result = try plan.evaluate(root, counters: counters)
        var held: [Held] = []
        for round in 0..<30 {
            for _ in 0..<generator.below(4) { content.remove(UInt64(generator.below(3_000))) }
            for _ in 0..<generator.below(4) { content.insert([[.int(Int64(round))]]) }
            let new = content.root
            let step = VersionStep(from: root, to: new, summaries: nil, counters: counters)
            let before = Array(result)
            let (next, change) = try plan.advance(result, step)
            let after = new.keys(TableKey(rawValue: 0))
            expectTrue(Array(next) == after && next.count == after.count)
            expectEqual(AdvanceTests.apply(change, before, after), after)
            expectEqual(change.deletedKeys, change.deletions.map { before[$0] })
            held.append(Held(result: next, expected: after))
            (result, root) = (next, new)
        }
        for held in held { expectEqual(Array(held.result), held.expected) }
        expectEqual(counters.rowsEvaluated.value, 0)
    }
}
