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
}
