import RegnumTestSupport
import Testing

@testable import Regnum

@Suite struct DamageDescriptionTests {
    /// Names and keys with line breaks don't look like further lines of a report.
    @Test func descriptionIsOneLine() {
        let damage = IntegrityReport.Damage(
            Realm.Error(.invalidDatabase, "A\nis damaged.", className: "A", key: "x\r\nsound"))
        expectEqual(
            "\(damage)", #"A\u{A}is damaged. (class: A, key: x"# + "\r" + #"\u{A}sound)"#)
    }

    @Test func descriptionsOfWhatASalvageLostAreOneLine() {
        let counts = SalvageReport.ClassCounts(
            className: "A\nB", savedCount: 2, lostCount: 1, uncertainCount: 0, changedCount: 0)
        expectEqual("\(counts)", #"A\u{A}B: 2 saved, 1 lost"#)
        let lost = SalvageReport.LostObject(className: "A", key: "x\ny", property: "p\nq")
        expectEqual("\(lost)", #"A x\u{A}y (p\u{A}q can't be read)"#)
        let changed = SalvageReport.ChangedProperty(
            className: "A", key: "x\ny", property: "p", change: .unordered)
        expectEqual("\(changed)", #"A x\u{A}y, p: the order may differ"#)
    }
}
