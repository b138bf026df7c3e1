import Regnum
import RegnumTestSupport
import Testing

/// Expects that a body throws a `Realm.Error` with a code.
func expect(
    _ code: Realm.Error.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    let error = await #expect(throws: Realm.Error.self, sourceLocation: sourceLocation) {
        try await body()
    }
    expectEqual(error?.code, code, sourceLocation: sourceLocation)
}
