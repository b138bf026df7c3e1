package import Testing

// Functions in place of `#expect` and `#require`, for two reasons. The macros take ten times as
// long to compile where they take comparisons apart. And if an argument contains a closure, and all
// is in a closure itself, Swift 6.3 gives the argument and closures after the macro the same
// symbols: where their types are equal, one of them is silently called instead of the other.
//
// The place of a call is passed in literals, because the compiler expands `#_sourceLocation` with a
// plugin at each call, a tenth of the time that checking the tests' types takes.

/// Records an issue unless two values are equal.
package func expectEqual<Value: Equatable>(
    _ actual: Value, _ expected: Value, _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) {
    if actual != expected {
        let values = "\(String(reflecting: actual)) isn't equal to \(String(reflecting: expected))"
        record(values, comment(), sourceLocation ?? .init(fileID, filePath, line, column))
    }
}

/// Records an issue unless a value is `nil`.
package func expectNil<Value>(
    _ actual: Value?, _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) {
    if let actual {
        record(
            "\(String(reflecting: actual)) isn't nil", comment(),
            sourceLocation ?? .init(fileID, filePath, line, column))
    }
}

/// Records an issue unless a condition holds.
package func expectTrue(
    _ condition: Bool, _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) {
    if !condition {
        record(
            "The condition doesn't hold", comment(),
            sourceLocation ?? .init(fileID, filePath, line, column))
    }
}

/// Returns a value, or throws if it is `nil`.
package func requireValue<Value>(
    _ value: Value?, _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) throws -> Value {
    if let value { return value }
    record("The value is nil", comment(), sourceLocation ?? .init(fileID, filePath, line, column))
    throw RequirementError()
}

/// A value that a test requires is `nil`, which has been recorded as an issue.
private struct RequirementError: Error {}

private func record(_ problem: String, _ comment: Comment?, _ sourceLocation: SourceLocation) {
    let text = comment.map { "\($0): \(problem)" } ?? problem
    Issue.record(Comment(rawValue: text), sourceLocation: sourceLocation)
}

extension SourceLocation {
    fileprivate init(
        _ fileID: StaticString, _ filePath: StaticString, _ line: Int, _ column: Int
    ) {
        self.init(fileID: "\(fileID)", filePath: "\(filePath)", line: line, column: column)
    }
}
