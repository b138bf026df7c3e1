internal import FoundationEssentials

extension Date {
    /// A date that has no description in Foundation: printing it traps.
    var isNaN: Bool { timeIntervalSinceReferenceDate.isNaN }

    /// The description of the date, or "NaN".
    var printed: String { isNaN ? "NaN" : "\(self)" }
}
