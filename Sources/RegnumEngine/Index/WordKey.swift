import CRegnum
import RegnumStore

/// The 64-bit key under which a full-text index has the rows whose text contains a word.
///
/// The upper 48 bits are the word's first 8 letters, so that the words with a prefix have adjacent
/// keys; the lower 16 a hash of the other letters, or 0 if there are none. So up to 8 letters have
/// a key of their own, and longer words can share one: the row must be compared then.
enum WordKey {
    static func key(_ word: Word, seed: Identity128) -> UInt64 {
        guard word.count > Word.startCount else { return word.start << 16 }
        let hash = word.withRest {
            cregnum_siphash13($0.baseAddress, $0.count, seed.high, seed.low)
        }
        return word.start << 16 | max(hash & 0xFFFF, 1)
    }

    /// Whether no other word has the key.
    static func isExact(_ word: Word) -> Bool { word.count <= Word.startCount }

    /// Returns the keys of the words that start with `prefix`, and of some others if that has more
    /// than 8 letters.
    static func keys(prefix: Word) -> ClosedRange<UInt64> {
        let last = prefix.start | (1 << 48 - 1) & ~prefix.startMask
        return prefix.start << 16...(last << 16 | 0xFFFF)
    }

    /// Returns the keys of the words in a text, ascending, without duplicates.
    static func keys(_ text: UnsafeRawBufferPointer, seed: Identity128) -> [UInt64] {
        var keys: [UInt64] = []
        var reader = WordReader(text)
        while let word = reader.next() { keys.append(key(word, seed: seed)) }
        return keys.sortedUniquely()
    }

    /// Returns the keys of a value, which has none unless it is a string.
    static func keys(_ value: Value, seed: Identity128) -> [UInt64] {
        guard case .string(let text) = value else { return [] }
        return withUTF8(text) { keys($0, seed: seed) }
    }
}
