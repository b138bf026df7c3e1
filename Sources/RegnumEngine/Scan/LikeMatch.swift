import CRegnum

/// Matches the UTF-8 of a text with a pattern of literal bytes, `*` and `?`.
///
/// The parts of the pattern that `*` separates are fixed in length: the first and the last have one
/// possible place, and each of the others is matched at its first place after the previous one.
struct LikeMatch {
    let text: UnsafeRawBufferPointer
    let pattern: UnsafeRawBufferPointer

    private static let star = UInt8(ascii: "*")
    private static let any = UInt8(ascii: "?")

    /// Whether the whole text matches.
    ///
    /// - Complexity: O(text + pattern), unless a part has a `?` between other characters: then
    ///   O(text * part).
    var isMatch: Bool {
        let first = end(ofPartAt: 0)
        guard var at = end(of: 0..<first, at: 0, before: text.count), at <= text.count
        else { return false }
        if first == pattern.count { return at == text.count }
        var last = pattern.count
        while pattern[last - 1] != LikeMatch.star { last -= 1 }
        guard let limit = start(of: last..<pattern.count, after: at) else { return false }
        var next = first + 1
        while next < last {
            let partEnd = end(ofPartAt: next)
            guard let found = find(next..<partEnd, from: at, before: limit) else { return false }
            at = found
            next = partEnd + 1
        }
        return true
    }

    private func end(ofPartAt start: Int) -> Int {
        var end = start
        while end < pattern.count, pattern[end] != LikeMatch.star { end += 1 }
        return end
    }

    /// Returns the end of a part that begins at `at`, or `nil` if it doesn't match there. An end
    /// beyond `limit` means that the text ends before the part.
    private func end(of part: Range<Int>, at: Int, before limit: Int) -> Int? {
        var at = at
        for next in part {
            if at >= limit { return limit + 1 }
            if pattern[next] == LikeMatch.any {
                at = codePointEnd(at)
            } else if pattern[next] == text[at] {
                at += 1
            } else {
                return nil
            }
        }
        return at
    }

    /// Returns the start of a part that ends with the text and doesn't begin before `first`, or
    /// `nil` if it doesn't match there.
    private func start(of part: Range<Int>, after first: Int) -> Int? {
        var at = text.count
        for next in part.reversed() {
            if at <= first { return nil }
            at -= 1
            if pattern[next] == LikeMatch.any {
                while at > first, text[at] & 0xC0 == 0x80 { at -= 1 }
            } else if pattern[next] != text[at] {
                return nil
            }
        }
        return at
    }

    /// Returns the end of the first match of a part between two positions, or `nil` if there is
    /// none.
    private func find(_ part: Range<Int>, from start: Int, before limit: Int) -> Int? {
        var at = start
        var part = part
        while let next = part.first, pattern[next] == LikeMatch.any {
            if at >= limit { return nil }
            at = codePointEnd(at)
            part.removeFirst()
        }
        if part.isEmpty { return at <= limit ? at : nil }
        let count = part.prefix { pattern[$0] != LikeMatch.any }.count
        while at < limit, let base = text.baseAddress, let bytes = pattern.baseAddress {
            let hit = cregnum_find(base + at, limit - at, bytes + part.lowerBound, count)
            if hit < 0 { return nil }
            at += hit
            if let end = end(of: part.dropFirst(count), at: at + count, before: limit) {
                return end <= limit ? end : nil  // it would end even later from a later place
            }
            at += 1
        }
        return nil
    }

    private func codePointEnd(_ start: Int) -> Int {
        var end = start + 1
        while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
        return end
    }
}
