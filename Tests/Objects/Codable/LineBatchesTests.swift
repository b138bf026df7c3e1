import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumJSON

/// The limit on the length of a line, whether lines arrive whole or in pieces.
@Suite struct LineBatchesTests {
    /// Splits a text that arrives in pieces of a size, with lines of at most 8 bytes.
    private func lines(of text: String, pieceSize: Int) async throws -> [String] {
        var batches = LineBatches(maximumLineCount: 1, maximumLineByteCount: 8)
        var lines: [String] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            try await batches.append(rest.prefix(pieceSize)) {
                lines.append(String(decoding: $0.bytes, as: UTF8.self))
            }
            rest = rest.dropFirst(pieceSize)
        }
        return lines + [String(decoding: batches.rest().bytes, as: UTF8.self)]
    }

    @Test(arguments: [1, 3, 9, 10, 100])
    func linesAtTheLimitAreReadAndLongerOnesRefused(pieceSize: Int) async throws {
        let whole = try await lines(of: "a\n12345678\n12345678", pieceSize: pieceSize)
        expectEqual(whole, ["a\n", "12345678\n", "12345678"])
        for text in ["a\n123456789\nb", "a\n123456789\n", "a\n123456789"] {
            let error = await #expect(throws: Realm.Error.self) {
                try await lines(of: text, pieceSize: pieceSize)
            }
            expectTrue(error?.code == .invalidInput && error?.line == 2, "\(text)")
        }
    }
}
