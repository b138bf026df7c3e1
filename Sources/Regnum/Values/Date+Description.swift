internal import FoundationEssentials

extension Date {
    /// Whether the date is NaN. Foundation can't describe such a date: printing it traps.
    var isNaN: Bool { timeIntervalSinceReferenceDate.isNaN }

    /// The description of the date, or "NaN".
    var printed: String { isNaN ? "NaN" : "\(self)" }
}
