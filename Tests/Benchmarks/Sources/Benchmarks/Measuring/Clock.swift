import Glibc
import Synchronization

/// Returns CLOCK_MONOTONIC in nanoseconds, which all processes share.
func monotonicNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// A call between two writes of a loop. Without an opaque call, the optimizer omits the hops to and
/// from the actor between them, which wouldn't happen in a program.
@inline(never)
func opaqueCall() {
    opaqueCalls.wrappingAdd(1, ordering: .relaxed)
}

private let opaqueCalls = Atomic<UInt64>(0)

/// Returns the microseconds of each call of `body`, for each element in turn, back to back.
func microsecondsEach<Element>(_ elements: [Element], _ body: (Element) throws -> Void) rethrows
    -> [Double]
{
    var times: [Double] = []
    times.reserveCapacity(elements.count)
    for element in elements {
        let start = monotonicNanoseconds()
        try body(element)
        times.append(Double(monotonicNanoseconds() - start) / 1_000)
        opaqueCall()
    }
    return times
}

/// Returns the rate per second of `count` events since `start`.
func perSecond(_ count: Int, since start: Int64) -> Double {
    Double(count) * 1e9 / Double(monotonicNanoseconds() - start)
}

/// Returns the milliseconds since `start`.
func milliseconds(since start: Int64) -> Double {
    Double(monotonicNanoseconds() - start) / 1_000_000
}
