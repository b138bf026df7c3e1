/// Makes other users' text safe for a terminal: control characters (which start escape sequences)
/// become U+FFFD, tabs and line breaks a space.
package func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\t", "\n", "\r": result.unicodeScalars.append(" ")
        case _ where isControl(scalar): result.unicodeScalars.append("\u{FFFD}")
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}

private func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0: true
    // Marks that change the direction of the text after them.
    case 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
}

/// Returns the number of terminal columns of a character: 0, 1 or 2, by the common ranges.
package func columnCount(of character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    if scalar.properties.generalCategory == .nonspacingMark { return 0 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
        0x20000...0x3FFFD:
        return 2
    default:
        return 1
    }
}
