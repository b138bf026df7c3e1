/// Returns whether notes "NAME 1", "NAME 2" … are those of writers that each have numbered theirs
/// without gaps.
public func hasNoGaps(_ texts: [String]) -> Bool {
    var numbers: [Substring: [Int]] = [:]
    for text in texts {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let number = Int(parts[1]) else { return false }
        numbers[parts[0], default: []].append(number)
    }
    return numbers.values.allSatisfy { $0.sorted() == Array(1...$0.count) }
}
