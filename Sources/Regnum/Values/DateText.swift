/// Dates as ISO 8601 with nanoseconds: `2026-11-22T12:47:44.25Z`.
///
/// A stored date is a double of seconds since 2001. A text represents whole seconds plus
/// nanoseconds over 1e9, added as doubles. A date whose stored double isn't restored exactly in
/// this way has no text.
package enum DateText {
    private static let secondsFrom1970 = 978_307_200

    /// Returns the text of a date. Returns `nil` if no text restores it exactly: before the year 1,
    /// after 9999, or finer than a nanosecond.
    package static func text(_ seconds: Double) -> String? {
        guard seconds > -63_113_904_000, seconds < 252_423_993_600 else { return nil }
        var whole = Int(seconds.rounded(.down))
        var nanoseconds = Int(((seconds - Double(whole)) * 1e9).rounded())
        if nanoseconds == 1_000_000_000 {
            whole += 1
            nanoseconds = 0
        }
        guard Self.seconds(whole, nanoseconds).bitPattern == seconds.bitPattern else { return nil }
        let days = (whole + secondsFrom1970).quotientRoundedDown(by: 86_400)
        let (year, month, day) = date(daysSince1970: days)
        guard year >= 1, year <= 9999 else { return nil }
        let second = whole + secondsFrom1970 - days * 86_400
        var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
        text +=
            "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
        if nanoseconds > 0 {
            var fraction = padded(nanoseconds, 9)
            while fraction.last == "0" { fraction.removeLast() }
            text += "." + fraction
        }
        return text + "Z"
    }

    /// Returns the seconds that a text represents, or `nil` if it is malformed. A fraction has one
    /// to nine digits; the text must end with `Z` or an offset such as `+02:00`.
    package static func seconds(_ text: String) -> Double? {
        var reader = DigitReader(bytes: Array(text.utf8)[...])
        guard let year = reader.number(4), reader.consume("-"), let month = reader.number(2),
            reader.consume("-"), let day = reader.number(2), reader.consume("T"),
            let hour = reader.number(2), reader.consume(":"), let minute = reader.number(2),
            reader.consume(":"), let second = reader.number(2),
            (1...12).contains(month), year >= 1, hour < 24, minute < 60, second < 60
        else { return nil }
        let days = daysSince1970(year, month, day)
        guard date(daysSince1970: days) == (year, month, day) else { return nil }
        var nanoseconds = 0
        if reader.consume(".") {
            guard let fraction = reader.fraction() else { return nil }
            nanoseconds = fraction
        }
        var whole = days * 86_400 + hour * 3600 + minute * 60 + second - secondsFrom1970
        if !reader.consume("Z") {
            let isWest = reader.consume("-")
            guard isWest || reader.consume("+"), let hours = reader.number(2), reader.consume(":"),
                let minutes = reader.number(2), hours < 24, minutes < 60
            else { return nil }
            whole += (isWest ? 1 : -1) * (hours * 3600 + minutes * 60)
        }
        return reader.isAtEnd ? seconds(whole, nanoseconds) : nil
    }

    static func seconds(_ whole: Int, _ nanoseconds: Int) -> Double {
        Double(whole) + Double(nanoseconds) / 1e9
    }

    private static func padded(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    // The proleptic Gregorian calendar in eras of 400 years that start in March (H. Hinnant,
    // chrono-compatible low-level date algorithms).

    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let era = shifted.quotientRoundedDown(by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted.quotientRoundedDown(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * part + 2) / 5 + 1)
    }
}

extension Int {
    fileprivate func quotientRoundedDown(by divisor: Int) -> Int {
        self >= 0 ? self / divisor : -((-self + divisor - 1) / divisor)
    }
}

/// A reader of the parts of a date in ASCII.
private struct DigitReader {
    var bytes: ArraySlice<UInt8>

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func consume(_ letter: Unicode.Scalar) -> Bool {
        guard bytes.first == UInt8(ascii: letter) else { return false }
        bytes.removeFirst()
        return true
    }

    private mutating func digit() -> Int? {
        guard let byte = bytes.first, byte &- UInt8(ascii: "0") < 10 else { return nil }
        bytes.removeFirst()
        return Int(byte - UInt8(ascii: "0"))
    }

    /// Reads a number of exactly `count` digits.
    mutating func number(_ count: Int) -> Int? {
        var number = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    /// Reads one to nine digits of a fraction, as billionths.
    mutating func fraction() -> Int? {
        var (number, count) = (0, 0)
        while let digit = digit() {
            number = number * 10 + digit
            count += 1
            if count > 9 { return nil }
        }
        guard count > 0 else { return nil }
        for _ in count..<9 { number *= 10 }
        return number
    }
}
