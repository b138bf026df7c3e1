package import Testing

// Functions in place of `#expect` and `#require`, for two reasons. The macros take several times as
// long to compile. And if an argument contains a closure, and all is in a closure itself, Swift 6.3
// gives the argument and closures after the macro the same symbols: where their types are equal,
// one of them is silently called instead of the other.
//
// Most calls have no comment. Functions of their own for these, and a place that takes no more than
// two literals, save a tenth to a fifth of the time that the tests take to compile.

/// Records an issue unless two values are equal.
package func expectEqual<Value: Equatable>(
    _ actual: Value, _ expected: Value, file: StaticString = #filePath, line: Int = #line
) {
    if actual != expected { record(difference(actual, expected), nil, place(file, line)) }
}

/// Records an issue with a comment unless two values are equal.
package func expectEqual<Value: Equatable>(
    _ actual: Value, _ expected: Value, _ comment: @autoclosure () -> Comment?,
    file: StaticString = #filePath, line: Int = #line
) {
    if actual != expected { record(difference(actual, expected), comment(), place(file, line)) }
}

/// Records an issue at a place that a helper was given unless two values are equal.
package func expectEqual<Value: Equatable>(
    _ actual: Value, _ expected: Value, _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation
) {
    if actual != expected { record(difference(actual, expected), comment(), sourceLocation) }
}

/// Records an issue unless a value is `nil`.
package func expectNil<Value>(
    _ actual: Value?, file: StaticString = #filePath, line: Int = #line
) {
    if let actual { record("\(String(reflecting: actual)) isn't nil", nil, place(file, line)) }
}

/// Records an issue with a comment unless a value is `nil`.
package func expectNil<Value>(
    _ actual: Value?, _ comment: @autoclosure () -> Comment?, file: StaticString = #filePath,
    line: Int = #line
) {
    if let actual {
        record("\(String(reflecting: actual)) isn't nil", comment(), place(file, line))
    }
}

/// Records an issue unless a condition holds.
package func expectTrue(
    _ condition: Bool, file: StaticString = #filePath, line: Int = #line
) {
    if !condition { record("The condition doesn't hold", nil, place(file, line)) }
}

/// Records an issue with a comment unless a condition holds.
package func expectTrue(
    _ condition: Bool, _ comment: @autoclosure () -> Comment?, file: StaticString = #filePath,
    line: Int = #line
) {
    if !condition { record("The condition doesn't hold", comment(), place(file, line)) }
}

/// Records an issue at a place that a helper was given unless a condition holds.
package func expectTrue(
    _ condition: Bool, _ comment: @autoclosure () -> Comment? = nil, sourceLocation: SourceLocation
) {
    if !condition { record("The condition doesn't hold", comment(), sourceLocation) }
}

/// Returns a value, or throws if it is `nil`.
package func requireValue<Value>(
    _ value: Value?, file: StaticString = #filePath, line: Int = #line
) throws -> Value {
    if let value { return value }
    record("The value is nil", nil, place(file, line))
    throw RequirementError()
}

/// Returns a value, or throws with a comment if it is `nil`.
package func requireValue<Value>(
    _ value: Value?, _ comment: @autoclosure () -> Comment?, file: StaticString = #filePath,
    line: Int = #line
) throws -> Value {
    if let value { return value }
    record("The value is nil", comment(), place(file, line))
    throw RequirementError()
}

/// A value that a test requires is `nil`, which has been recorded as an issue.
private struct RequirementError: Error {}

private func record(_ problem: String, _ comment: Comment?, _ sourceLocation: SourceLocation) {
    let text = comment.map { "\($0): \(problem)" } ?? problem
    Issue.record(Comment(rawValue: text), sourceLocation: sourceLocation)
}

private func difference<Value>(_ actual: Value, _ expected: Value) -> String {
    "\(String(reflecting: actual)) isn't equal to \(String(reflecting: expected))"
}

/// The place of a call. The file's ID, which would be one literal more, is made of the folder and
/// the name in the path.
private func place(_ file: StaticString, _ line: Int) -> SourceLocation {
    let parts = "\(file)".split(separator: "/").suffix(2).joined(separator: "/")
    return SourceLocation(fileID: parts, filePath: "\(file)", line: line, column: 1)
}
