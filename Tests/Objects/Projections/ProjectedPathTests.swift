import RegnumTestSupport
import Testing

@testable import Regnum

/// The paths along which streams of computed properties look for changes.
@Suite struct ProjectedPathTests {
    final class PathNode: Object {
        @Persisted var a: PathNode?
        @Persisted var aa: PathNode?
        @Persisted var b: PathNode?
    }

    @Test func beginningsOfOtherPathsAreLeftOut() {
        let properties = ClassSchema.of(PathNode.self).properties
        var random = SeededRandom()
        for _ in 0..<200 {
            let paths = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                let indices = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    Int.random(in: 0..<properties.count, using: &random)
                }
                return PropertyPath(
                    properties: indices.map { properties[$0] }, first: indices[0])
            }
            func names(_ path: PropertyPath) -> [String] { path.properties.map(\.name) }
            var expected: [[String]] = []
            for path in paths.map(names) {
                let isBeginning = paths.map(names).contains { other in
                    other.count > path.count && other.starts(with: path)
                }
                if !isBeginning, !expected.contains(path) { expected.append(path) }
            }
            expectEqual(paths.longest.map(names), expected)
        }
    }
}
