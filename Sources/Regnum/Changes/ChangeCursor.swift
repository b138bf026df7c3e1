internal import RegnumEngine
internal import RegnumStore

/// A position in the history of a realm from which a stream can resume: after a disconnect, after a
/// restart or in another process.
///
///     let cursor = delta.cursor                       // store it with the delta's effects
///     for try await change in realm.objects(Message.self).changes(since: cursor) { … }
///
/// Its text form consists of an identifier and a version, in letters, digits and a hyphen. The
/// identifier is that of the realm's timeline, which changes when a copy or a restored backup is
/// first written to. A restored realm therefore refuses cursors of commits that it doesn't have,
/// whereas cursors of earlier commits are valid in both realms.
public struct ChangeCursor: Sendable, Hashable {
    let high: UInt64
    let low: UInt64
    /// The version after which changes are reported.
    public let version: UInt64

    /// The timeline of the version.
    var timeline: Identity128 { Identity128(high: high, low: low) }
}

extension SnapshotCore {
    /// The position of the snapshot in the history of the realm.
    var cursor: ChangeCursor { realm.cursor(at: root.version) }
}

extension ChangeCursor: LosslessStringConvertible {
    /// Creates a cursor from its text form. Returns `nil` for any other text.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == 32, parts[1].count <= 20,
            let digits = String(parts[0]), let high = UInt64(digits.prefix(16), radix: 16),
            let low = UInt64(digits.suffix(16), radix: 16),
            let version = UInt64(String(decoding: parts[1], as: UTF8.self))
        else { return nil }
        self.init(high: high, low: low, version: version)
        // Each cursor has one text form: without uppercase letters, signs and leading zeros.
        guard equalUTF8(description, text) else { return nil }
    }

    /// The text form: 32 hexadecimal digits, a hyphen and the version.
    public var description: String {
        high.hexadecimal + low.hexadecimal + "-\(version)"
    }
}

extension UInt64 {
    /// The number as 16 lowercase hexadecimal digits.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension ChangeCursor: Codable {
    /// Decodes the text form.
    ///
    /// - Throws: `DecodingError` for any other text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let cursor = ChangeCursor(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text.shortened)\" is not a change cursor.")
        }
        self = cursor
    }

    /// Encodes the text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Snapshot {
    /// The position of this snapshot in the history of the realm.
    public var cursor: ChangeCursor { core.cursor }
}

extension FrozenResults {
    /// The position of the snapshot in the history of the realm.
    public var cursor: ChangeCursor { query.table.snapshot.cursor }
}

extension FrozenValues {
    /// The position of the snapshot in the history of the realm.
    public var cursor: ChangeCursor { query.table.snapshot.cursor }
}

extension FrozenMap {
    /// The position of the snapshot in the history of the realm.
    public var cursor: ChangeCursor { table.snapshot.cursor }
}
