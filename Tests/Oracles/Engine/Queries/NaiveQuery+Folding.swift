import Foundation
import RegnumEngine

extension NaiveQuery {
    /// Returns the folded form, made of whole strings by Foundation and the standard library.
    static func folded(_ text: String, _ folding: TextFolding) -> [Unicode.Scalar] {
        var scalars = Array(text.unicodeScalars)
        if folding.contains(.diacritics) {
            scalars = scalars.flatMap { scalar in
                let parts = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
                let rest = parts.filter { !isDiacritic($0) }
                return rest.count == parts.count ? [scalar] : Array(rest)
            }
        }
        guard folding.contains(.letterCase) else { return scalars }
        var folded = ""
        folded.unicodeScalars.append(contentsOf: scalars)
        return Array(folded.lowercased().uppercased().lowercased().unicodeScalars)
    }

    private static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
        let order = scalar.properties.canonicalCombiningClass.rawValue
        return scalar.properties.generalCategory == .nonspacingMark
            && (order == 7 || order == 8 || (10...36).contains(order)
                || (200...240).contains(order))
    }
}
