import CRegnum

extension TextFolding {
    /// Returns the UTF-8 of the folded form of a string.
    ///
    /// - Complexity: O(n log m) for n code points and m letters with diacritics.
    func folded(_ text: String) -> [UInt8] {
        var folded = FoldedText()
        folded.bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            guard let scalar = contains(.diacritics) ? scalar.withoutDiacritics : scalar
            else { continue }
            if contains(.letterCase) {
                folded.appendCaseFolding(of: scalar)
            } else {
                folded.append(scalar)
            }
        }
        return folded.bytes
    }
}

extension Unicode.Scalar {
    /// What remains without diacritics; `nil` for nothing.
    fileprivate var withoutDiacritics: Unicode.Scalar? {
        if value < 0xC0 { return self }
        if value >= 0x300, isDiacritic { return nil }
        let base = cregnum_without_diacritics(value)
        return base == 0 ? nil : Unicode.Scalar(base)
    }

    private var isDiacritic: Bool {
        guard properties.generalCategory == .nonspacingMark else { return false }
        switch properties.canonicalCombiningClass.rawValue {
        case 7, 8, 10...36, 200...240: return true
        default: return false
        }
    }

    /// The foldings of Latin, Greek, Cyrillic and Armenian letters, which are much faster to look
    /// up than to compute.
    fileprivate static let caseFoldings = CaseFoldings()

    /// The full case folding, which Swift doesn't have; `nil` for that of the scalar itself.
    ///
    /// It is the lowercase of the uppercase of the lowercase, except for `ı`, which has none, and
    /// for Cherokee, which is folded to uppercase.
    fileprivate var caseFolding: String.UnicodeScalarView? {
        switch value {
        case 0x131, 0x13A0...0x13F5: return nil
        case 0x13F8...0x13FD, 0xAB70...0xABBF: return properties.uppercaseMapping.unicodeScalars
        default: if !properties.changesWhenCaseMapped { return nil }
        }
        var folding = String.UnicodeScalarView()
        for lower in properties.lowercaseMapping.unicodeScalars {
            for upper in lower.properties.uppercaseMapping.unicodeScalars {
                folding.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
            }
        }
        return folding
    }
}

/// The case foldings of the scalars below U+0590 that are a single scalar.
private struct CaseFoldings: Sendable {
    private let scalars: [Unicode.Scalar?] = (0..<0x590 as Range<UInt32>).map { value in
        guard let scalar = Unicode.Scalar(value) else { return nil }
        guard let folding = scalar.caseFolding else { return scalar }
        return folding.count == 1 ? folding.first : nil
    }

    subscript(scalar: Unicode.Scalar) -> Unicode.Scalar? {
        scalar.value < scalars.count ? scalars[Int(scalar.value)] : nil
    }
}

private struct FoldedText {
    var bytes: [UInt8] = []

    mutating func append(_ scalar: Unicode.Scalar) {
        if scalar.isASCII {
            bytes.append(UInt8(truncatingIfNeeded: scalar.value))
        } else {
            bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
    }

    mutating func appendCaseFolding(of scalar: Unicode.Scalar) {
        if scalar.isASCII {
            let byte = UInt8(truncatingIfNeeded: scalar.value)
            bytes.append(byte &- 0x41 < 26 ? byte | 0x20 : byte)
        } else if let folding = Unicode.Scalar.caseFoldings[scalar] {
            append(folding)
        } else if let folding = scalar.caseFolding {
            for scalar in folding { append(scalar) }
        } else {
            append(scalar)
        }
    }
}
