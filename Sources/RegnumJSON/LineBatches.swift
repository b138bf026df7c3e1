internal import Regnum
internal import RegnumStore

/// Splits a text that arrives in pieces into batches of whole lines.
struct LineBatches {
    /// Whole lines. The last line of the text may lack its newline.
    struct Batch: Sendable {
        let bytes: [UInt8]
        /// The number of the first line, counted from 1.
        let firstLine: Int
    }

    /// A batch ends after this number of bytes, however few lines it has.
    private static let batchByteCount = 1 << 23

    /// The maximum number of lines of a batch; `nil` for the whole text.
    let maximumLineCount: Int?
    /// The maximum number of bytes of a line, without its newline.
    let maximumLineByteCount: Int
    private var bytes: [UInt8] = []
    private var firstLine = 1
    /// The number of complete lines in `bytes`, and the end of the last one.
    private var lineCount = 0
    private var end = 0

    init(maximumLineCount: Int?, maximumLineByteCount: Int = Limits.maximumLineByteCount) {
        self.maximumLineCount = maximumLineCount
        self.maximumLineByteCount = maximumLineByteCount
    }

    /// Appends the next piece of the text and passes full batches to `body`.
    ///
    /// Throws `.invalidInput` for a line that is too long.
    mutating func append(
        _ piece: some Sequence<UInt8>, _ body: (Batch) async throws -> Void
    ) async throws {
        for byte in piece {
            bytes.append(byte)
            guard byte == UInt8(ascii: "\n") else { continue }
            try checkLine(byteCount: bytes.count - 1 - end)
            lineCount += 1
            end = bytes.count
            guard let maximumLineCount, lineCount >= maximumLineCount || end >= Self.batchByteCount
            else {
                continue
            }
            try await body(take())
        }
        try checkLine(byteCount: bytes.count - end)
    }

    private func checkLine(byteCount: Int) throws(Realm.Error) {
        guard byteCount > maximumLineByteCount else { return }
        let line = firstLine + lineCount
        var error = Realm.Error(
            .invalidInput, "Line \(line) has more than \(maximumLineByteCount) bytes.")
        error.line = line
        throw error
    }

    /// Returns everything that is left.
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
