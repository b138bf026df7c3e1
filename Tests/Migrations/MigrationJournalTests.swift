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
}
