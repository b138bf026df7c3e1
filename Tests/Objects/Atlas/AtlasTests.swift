import RegnumTestSupport
import Testing

@testable import RealmOracle

/// Random transactions on all property types in all containers, against plain Swift: after each of
/// them every view shows exactly what was done.
@Suite(.serialized, .timeLimit(.minutes(40)))
struct AtlasTests {
    // Covers 2.84, 2.85, 2.86, 2.88, 2.89
    @Test func everyViewShowsWhatWasDone() async throws {
        let count = Effort.count(gate: 350, soak: 10_000)
        try await AtlasSuite("AtlasTests", count: count).run()
    }

    /// The generator reaches everything that it can draw: each type, and each kind of change.
    @Test func drawnSequencesReachEveryTypeAndChange() {
        var types: Set<String> = []
        var edits: Set<String> = []
        for number in 0..<400 {
            var random = SeededRandom(UInt64(number))
            let shapes = AtlasTable.shapes(AtlasTable.classes(2, &random))
            types.formUnion(shapes.map(\.name))
            var draw = AtlasDraw(AtlasWorld(shapes), seed: random.next(), sideCount: 2)
            for _ in 0..<6 {
                let transaction = draw.transaction()
                edits.insert("\(transaction.end)".prefix { $0 != "(" }.description)
                for edit in transaction.edits {
                    switch edit {
                    case .change(_, _, _, let change):
                        edits.insert("\(change)".prefix { $0 != "(" }.description)
                    case .add(_, _, _, let route): edits.insert("\(route)")
                    default: edits.insert("\(edit)".prefix { $0 != " " }.description)
                    }
                }
            }
        }
        expectEqual(types.count, AtlasTable.holders.count + 2)
        expectTrue(
            edits.isSuperset(of: [
                "set", "insert", "replace", "remove", "move", "swap", "assign", "removeAll",
                "insertMember", "removeMember", "unite", "intersect", "subtract", "put",
                "removeKey", "assignEntries", "merge", "editBox", "inside", "add", "addModified",
                "addAll",
                "create", "createModified", "createAll", "update", "delete", "savepoint", "kept",
                "thrown", "violated",
            ]))
    }
}
