package import Foundation

/// Returns the time of the machine's monotonic clock in nanoseconds, which all processes share.
package func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Returns the local time of day as "HH:MM:SS".
package func wallClockTime(_ date: Date) -> String {
    var parts = tm()
    var seconds = time_t(clamping: Int64(date.timeIntervalSince1970.rounded(.down)))
    localtime_r(&seconds, &parts)
    func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))"
}

/// Converts times of day to dates of one day in local time.
package struct LocalDay {
    private let midnight: tm

    /// Creates the day that contains `date`.
    package init(of date: Date) {
        var parts = tm()
        var seconds = time_t(clamping: Int64(date.timeIntervalSince1970.rounded(.down)))
        localtime_r(&seconds, &parts)
        midnight = parts
    }

    package func date(hour: Int, minute: Int, second: Int) -> Date {
        var parts = midnight
        parts.tm_hour = Int32(hour)
        parts.tm_min = Int32(minute)
        parts.tm_sec = Int32(second)
        // Let the C library determine whether daylight saving time applies at that hour.
        parts.tm_isdst = -1
        return Date(timeIntervalSince1970: Double(mktime(&parts)))
    }
}
