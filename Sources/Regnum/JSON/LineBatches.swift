internal import RegnumStore

/// Cuts a text that comes in pieces into batches of whole lines.
struct LineBatches {
    /// Whole lines, the last of the text perhaps without its end.
    struct Batch: Sendable {
        let bytes: [UInt8]
        /// The number of the first one, from 1.
        let firstLine: Int
    }

    /// A batch ends after so many bytes, however few lines it has.
    private static let batchByteCount = 1 << 23

    /// The most lines of a batch; nil: all of the text.
    let lineCountMax: Int?
    private var bytes: [UInt8] = []
    private var firstLine = 1
    /// The lines that are complete in `bytes`, and where the last of them ends.
    private var lineCount = 0
    private var end = 0

    init(lineCountMax: Int?) {
        self.lineCountMax = lineCountMax
    }

    /// Takes the next piece of the text, and gives the batches that are full to `body`.
    ///
    /// Throws `.invalidInput` for a line that is too long.
    mutating func append(
        _ piece: some Sequence<UInt8>, _ body: (Batch) async throws -> Void
    ) async throws {
        for byte in piece {
            bytes.append(byte)
            guard byte == UInt8(ascii: "\n") else { continue }
            lineCount += 1
            end = bytes.count
            guard let lineCountMax, lineCount >= lineCountMax || end >= Self.batchByteCount else {
                continue
            }
            try await body(take())
        }
        guard bytes.count - end <= Limits.lineByteCountMax else {
            let line = firstLine + lineCount
            var error = Realm.Error(
                .invalidInput, "Line \(line) has more than \(Limits.lineByteCountMax) bytes.")
            error.line = line
            throw error
        }
    }

    /// All that is left.
    mutating func rest() -> Batch { take() }

    private mutating func take() -> Batch {
        let batch = Batch(bytes: bytes, firstLine: firstLine)
        firstLine += lineCount
        lineCount = 0
        end = 0
        bytes = []
        return batch
    }
}
