package import Testing

// Functions in place of `#expect` and `#require`, for two reasons. The macros take ten times as
// long to compile where they take comparisons apart. And if an argument contains a closure, and all
// is in a closure itself, Swift 6.3 gives the argument and closures after the macro the same
// symbols: where their types are equal, one of them is silently called instead of the other.

/// Records an issue unless two values are equal.
package func expectEqual<Value: Equatable>(
    _ actual: Value, _ expected: Value, _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    if actual != expected {
        let values = "\(String(reflecting: actual)) isn't equal to \(String(reflecting: expected))"
        record(values, comment(), sourceLocation)
    }
}

/// Records an issue unless a value is `nil`.
package func expectNil<Value>(
    _ actual: Value?, _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    if let actual { record("\(String(reflecting: actual)) isn't nil", comment(), sourceLocation) }
}

/// Records an issue unless a condition holds.
package func expectTrue(
    _ condition: Bool, _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    if !condition { record("The condition doesn't hold", comment(), sourceLocation) }
}

/// Returns a value, or throws if it is `nil`.
package func requireValue<Value>(
    _ value: Value?, _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> Value {
    if let value { return value }
    record("The value is nil", comment(), sourceLocation)
    throw RequirementError()
}

/// A value that a test requires is `nil`, which has been recorded as an issue.
private struct RequirementError: Error {}

private func record(_ problem: String, _ comment: Comment?, _ sourceLocation: SourceLocation) {
    let text = comment.map { "\($0): \(problem)" } ?? problem
    Issue.record(Comment(rawValue: text), sourceLocation: sourceLocation)
}
