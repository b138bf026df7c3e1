import CRegnum
import Glibc

/// A pattern to match strings or data with, prepared once.
struct TextPattern: Sendable {
    let match: TextMatch
    let folding: TextFolding
    /// The UTF-8 of the pattern, in its folded form.
    let bytes: [UInt8]
    let isASCII: Bool

    init(_ match: TextMatch, _ text: String, ignoring folding: TextFolding) {
        self.match = match
        self.folding = folding
        bytes = folding.isEmpty ? Array(text.utf8) : folding.folded(text)
        isASCII = bytes.allSatisfy { $0 < 0x80 }
    }

    /// Creates a pattern of bytes to match data with; `match` must not be `like`.
    init(_ match: TextMatch, bytes: [UInt8]) {
        self.match = match
        folding = []
        self.bytes = bytes
        isASCII = false
    }

    /// The code of the match in kernels; `nil` if rows must be matched one by one.
    var kernel: Int32? {
        if !folding.isEmpty { return nil }
        switch match {
        case .contains: return Int32(CREGNUM_CONTAINS)
        case .beginsWith: return Int32(CREGNUM_BEGINS)
        case .endsWith: return Int32(CREGNUM_ENDS)
        case .like, .equals: return nil
        }
    }

    /// Whether the UTF-8 of one string matches.
    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        if folding.isEmpty { return matchesExactly(text) }
        if text.allSatisfy({ $0 < 0x80 }) {
            // Folded ASCII is ASCII. (In `like`, an ASCII text only matches ASCII characters and
            // wildcards.)
            if !isASCII { return false }
            if !folding.contains(.letterCase) { return matchesExactly(text) }
            return withUnsafeTemporaryAllocation(byteCount: text.count, alignment: 1) { lower in
                for index in text.indices {
                    let byte = text[index]
                    lower[index] = byte &- 0x41 < 26 ? byte | 0x20 : byte
                }
                return matchesExactly(UnsafeRawBufferPointer(lower))
            }
        }
        return folding.folded(String(decoding: text, as: UTF8.self)).withUnsafeBytes {
            matchesExactly($0)
        }
    }

    private func matchesExactly(_ text: UnsafeRawBufferPointer) -> Bool {
        bytes.withUnsafeBytes { bytes in
            if match == .like { return LikeMatch(text: text, pattern: bytes).isMatch }
            guard text.count >= bytes.count else { return false }
            if match == .equals, text.count > bytes.count { return false }
            guard bytes.count > 0, let base = text.baseAddress, let wanted = bytes.baseAddress
            else { return true }
            switch match {
            case .beginsWith: return memcmp(base, wanted, bytes.count) == 0
            case .endsWith:
                return memcmp(base + (text.count - bytes.count), wanted, bytes.count) == 0
            default: return cregnum_find(base, text.count, wanted, bytes.count) >= 0
            }
        }
    }
}

/// A set of values that a property is tested against, with the equality of `Comparison.equal`.
struct ValueSet: Sendable {
    /// In the order of the plan.
    let values: [Value]
    /// Up to this many values are compared one after the other with whole chunks.
    static let maximumComparedCount = 8
    private let set: Set<Value>

    init(_ values: [Value]) {
        self.values = values
        set = Set(values.compactMap { ValueSet.canonical($0) })
    }

    /// Whether one of the values equals `value`.
    func contains(_ value: Value) -> Bool {
        ValueSet.canonical(value).map { set.contains($0) } ?? false
    }

    /// Returns one representation for numbers that are equal; `nil` for a NaN that equals nothing.
    private static func canonical(_ value: Value) -> Value? {
        switch value {
        case .double(let x):
            if x.isNaN { return nil }
            if let integer = Int64(exactly: x) { return .int(integer) }
            return value
        case .date(let x): return x.isNaN ? nil : .date(x == 0 ? 0 : x)
        case .decimal(let x):
            if x.isNaN { return .decimal(.nan) }
            if let integer = x.exactInt64 { return .int(integer) }
            let nearest = x.doubleValue
            return DecimalBits.compare(x, nearest) == 0 ? .double(nearest) : .decimal(x.canonical)
        case .any: return value.canonical
        default: return value
        }
    }
}
