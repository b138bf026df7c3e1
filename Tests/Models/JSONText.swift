import Regnum
import RegnumJSON

/// A text split into chunks.
struct JSONChunks: AsyncSequence {
    let bytes: [UInt8]
    var size = 1 << 16

    struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<UInt8>
        let size: Int

        mutating func next() async throws -> [UInt8]? {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(size) }
            return Array(rest.prefix(size))
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(rest: bytes[...], size: size) }
}

extension Snapshot {
    /// Returns the export as a string.
    func json(classes: [String]? = nil) async throws -> String {
        var bytes: [UInt8] = []
        try await exportJSON(classes: classes) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Realm {
    @discardableResult
    nonisolated func importJSON(
        text: String, update: UpdatePolicy = .error, batchSize: Int? = 5_000, origin: String? = nil
    ) async throws -> ImportSummary {
        try await importJSON(
            from: JSONChunks(bytes: Array(text.utf8)), update: update, batchSize: batchSize,
            origin: origin)
    }
}
