/// Returns the positions of the longest strictly increasing subsequence. If there are several,
/// returns the one with the lowest positions, compared from the first on.
///
/// Patience sorting from the right gives the longest run that starts at each position (Fredman,
/// "On computing the length of longest increasing subsequences", 1975).
/// - Complexity: O(n log n).
package func longestIncreasingSubsequence(_ numbers: [Int]) -> [Int] {
    guard !numbers.isEmpty else { return [] }
    // greatest[l]: the greatest number that starts an increasing run of length l + 1.
    var greatest: [Int] = []
    var lengths = [Int](repeating: 0, count: numbers.count)
    for position in numbers.indices.reversed() {
        let number = numbers[position]
        let low = firstIndex(below: greatest.count) { greatest[$0] <= number }
        if low == greatest.count { greatest.append(number) } else { greatest[low] = number }
        lengths[position] = low + 1
    }
    var wanted = greatest.count
    var last: Int?
    var result: [Int] = []
    result.reserveCapacity(wanted)
    for position in numbers.indices where lengths[position] == wanted {
        if let last, numbers[position] <= last { continue }
        result.append(position)
        last = numbers[position]
        wanted -= 1
    }
    return result
}
