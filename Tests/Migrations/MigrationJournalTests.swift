import RegnumTestSupport
import Testing

@testable import Regnum

@Suite struct MigrationJournalTests {
    /// A resumed block that renames another property is another block.
    @Test func namesOfCallsAreComparedByTheirBytes() throws {
        let journal = MigrationJournal()
        journal.note(.rename, ["Menu", "caf\u{E9}", "place"])
        let steps = MigrationSteps.State(
            asideTables: [], asideNames: [], intermediate: [], dropped: [])
        let bytes = try journal.encoded(steps)
        let same = try requireValue(MigrationJournal(bytes))
        let done = try same.passes(.rename, ["Menu", "caf\u{E9}", "place"])
        expectTrue(done != nil)
        let other = try requireValue(MigrationJournal(bytes))
        let error = #expect(throws: Realm.Error.self) {
            try other.passes(.rename, ["Menu", "cafe\u{301}", "place"])
        }
        expectEqual(error?.code, .migrationFailed)
    }

    /// Numbers that only a forged mark has would end the process.
    @Test func impossibleNumbersAreRefused() throws {
        func journal(_ visit: String, _ tables: String) -> MigrationJournal? {
            MigrationJournal(
                Array(
                    """
                    {"entries": [], "visit": \(visit), "steps": {"asideTables": [\(tables)],
                    "asideNames": ["a"], "intermediate": [], "dropped": []}}
                    """.utf8))
        }
        let sound = try requireValue(journal(#"{"next": 7, "end": 9, "done": 6}"#, "2"))
        expectEqual(sound.steps?.isPossible(tableCount: 3), true)
        expectEqual(sound.steps?.isPossible(tableCount: 2), false)
        for visit in [
            #"{"next": 7, "end": 9, "done": -1}"#, #"{"next": 7, "end": 9, "done": 8}"#,
            #"{"next": 18446744073709551615, "end": 9, "done": 9223372036854775807}"#,
        ] {
            expectNil(journal(visit, "2"))
        }
    }
}
