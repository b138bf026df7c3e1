import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// The file that records the progress of a migration.
@Suite struct MigrationMarkTests {
    /// A mark of the maximum size can be read back; a larger one is refused, and the previous one
    /// remains.
    @Test func aMarkThatCouldNotBeReadBackIsRefused() throws {
        let realm = LogFixture()
        let file = try realm.openWriter().log.migrationMark
        func mark(_ count: Int) -> MigrationMark {
            MigrationMark(version: 1, file: 2, content: Array(repeating: 7, count: count))
        }
        try file.write(mark(10))
        let overhead = try #require(realm.disk.contents(of: "migration", in: realm.path)).count - 10
        let countMax = Int(Limits.migrationMarkByteCountMax) - overhead
        for count in [countMax - 1, countMax] {
            try file.write(mark(count))
            try expectEqual(file.read(), mark(count))
        }
        let error = #expect(throws: StoreError.self) { try file.write(mark(countMax + 1)) }
        expectEqual(error?.code, .invalidInput)
        try expectEqual(file.read(), mark(countMax))
    }
}
