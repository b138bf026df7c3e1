/// Differences between strings that a comparison ignores: it compares the folded forms of both, by
/// UTF-8 bytes.
///
/// Folding depends on no locale, replaces each code point independently of the others, and doesn't
/// normalize otherwise. If both differences are ignored, diacritics are removed first.
package struct TextFolding: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The case of letters. Folded by `toCasefold` of the Unicode Standard (section 3.13.3, rule
    /// R4), the full case folding without the Turkic mappings: `ß` becomes `ss`, and `Σ` and `ς`
    /// become `σ`.
    package static let letterCase = TextFolding(rawValue: 1)

    /// Diacritics: the nonspacing marks (general category Mn) of the canonical combining classes 7,
    /// 8, 10 to 36 and 200 to 240 (Unicode Standard, section 4.3). These are accents, Hebrew and
    /// Arabic points, nuktas and kana voicing marks, but not overlays, viramas, and the vowel signs
    /// and tone marks of Indic and Southeast Asian scripts. They are removed, also from the
    /// canonical decompositions (Unicode Standard Annex #15) of letters: `é` becomes `e`. `ø` and
    /// `ł` have no decomposition and stay.
    package static let diacritics = TextFolding(rawValue: 2)
}
