import RegnumStore

/// A word of a text as full-text search compares it: ASCII letters and digits and the letters of
/// Latin-1 (U+00C0 to U+00FF), in lowercase and without diacritics. `æ`, `ð`, `ø`, `þ` and `ß` are
/// letters of their own.
///
/// Only the first 64 letters count (`Limits.maximumWordLetterCount`): words that agree in them are
/// equal.
struct Word: Equatable {
    /// The letters as numbers below 64, and not 0. As many as `Limits.maximumWordLetterCount`.
    private var letters = InlineArray<64, UInt8>(repeating: 0)
    private(set) var count = 0
    /// The first 8 letters, 6 bits each, the first one in the most significant place; 0 for those
    /// that the word doesn't have. So the order of words is that of these numbers.
    private(set) var start: UInt64 = 0

    /// The number of letters in `start`.
    static let startCount = 8

    /// Appends a letter, unless the word already has the maximum number of letters.
    @inline(__always)
    fileprivate mutating func append(_ letter: UInt8) {
        guard count < Limits.maximumWordLetterCount else { return }
        letters[count] = letter
        if count < Word.startCount {
            start |= UInt64(letter) << UInt64(6 &* (Word.startCount &- 1 &- count))
        }
        count &+= 1
    }

    /// The letters after those of `start`, passed as bytes.
    func withRest<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: letters) { bytes in
            body(UnsafeRawBufferPointer(rebasing: bytes[min(Word.startCount, count)..<count]))
        }
    }

    func hasPrefix(_ prefix: Word) -> Bool {
        guard count >= prefix.count, start & prefix.startMask == prefix.start else { return false }
        var index = Word.startCount
        while index < prefix.count {
            if letters[index] != prefix.letters[index] { return false }
            index += 1
        }
        return true
    }

    /// The bits of `start` that the word's letters use.
    var startMask: UInt64 {
        let unused = UInt64(6 * (Word.startCount - min(count, Word.startCount)))
        return (1 << 48 - 1) & ~(1 << unused - 1)
    }

    static func == (a: Word, b: Word) -> Bool {
        a.count == b.count && a.start == b.start && a.hasPrefix(b)
    }
}

/// Splits UTF-8 into words. Anything that isn't a letter or digit of a `Word` separates words,
/// including the letters of other scripts and invalid bytes.
struct WordReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Returns the next word, or `nil` if there is none.
    mutating func next() -> Word? {
        var word = Word()
        while position < bytes.count {
            let byte = bytes[position]
            position &+= 1
            var letter: UInt8 = 0
            if byte < 0x80 {
                letter = WordReader.letter(ascii: byte)
            } else if byte == 0xC3, position < bytes.count, bytes[position] & 0xC0 == 0x80 {
                letter = WordReader.letter(latin: bytes[position])
                position &+= 1
            }
            if letter != 0 {
                word.append(letter)
            } else if word.count > 0 {
                return word
            }
        }
        return word.count > 0 ? word : nil
    }

    /// Returns the number of words in a text.
    static func count(in text: UnsafeRawBufferPointer) -> Int {
        var reader = WordReader(text)
        var count = 0
        while reader.next() != nil { count += 1 }
        return count
    }

    /// Returns the number of an ASCII letter or digit, or 0.
    @inline(__always)
    private static func letter(ascii byte: UInt8) -> UInt8 {
        let lower = byte | 0x20
        if lower &- UInt8(ascii: "a") < 26 { return lower &- UInt8(ascii: "a") &+ 11 }
        return byte &- UInt8(ascii: "0") < 10 ? byte &- UInt8(ascii: "0") &+ 1 : 0
    }

    /// Returns the number of a letter from U+00C0 on, given the second byte of its UTF-8, or 0 for
    /// the signs × and ÷.
    private static func letter(latin byte: UInt8) -> UInt8 {
        // The lowercase letter is 0x20 after the uppercase one, except for ß and ÿ.
        switch byte | 0x20 {
        case 0xA0...0xA5: letter(ascii: UInt8(ascii: "a"))
        case 0xA6: 37  // æ
        case 0xA7: letter(ascii: UInt8(ascii: "c"))
        case 0xA8...0xAB: letter(ascii: UInt8(ascii: "e"))
        case 0xAC...0xAF: letter(ascii: UInt8(ascii: "i"))
        case 0xB0: 38  // ð
        case 0xB1: letter(ascii: UInt8(ascii: "n"))
        case 0xB2...0xB6: letter(ascii: UInt8(ascii: "o"))
        case 0xB8: 39  // ø
        case 0xB9...0xBC: letter(ascii: UInt8(ascii: "u"))
        case 0xBD: letter(ascii: UInt8(ascii: "y"))
        case 0xBE: 40  // þ
        case 0xBF: byte == 0x9F ? 41 : letter(ascii: UInt8(ascii: "y"))  // ß, ÿ
        default: 0
        }
    }
}
