// SPDX-License-Identifier: Apache-2.0

/// How many columns of a terminal a text takes.
enum TextColumns {
    /// The columns of a text without line breaks.
    static func count(of text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + count(of: $1) }
    }

    /// The columns of one grapheme: two for East Asian wide characters and emoji, none for a mark without a base,
    /// otherwise one.
    static func count(of character: Character) -> Int {
        if let ascii = character.asciiValue { return ascii < 0x20 || ascii == 0x7F ? 0 : 1 }
        guard let first = character.unicodeScalars.first else { return 0 }
        if isWide(first) || isEmoji(character) { return 2 }
        return isZeroWidth(first) ? 0 : 1
    }

    /// Whether a line may break before or after the grapheme, although there is no space.
    static func breaksAnywhere(_ character: Character) -> Bool {
        guard let first = character.unicodeScalars.first else { return false }
        return isWide(first) && !first.properties.isEmojiPresentation
    }

    /// A base followed by the selector of the emoji style, or a pair of regional indicators, which is a flag.
    private static func isEmoji(_ character: Character) -> Bool {
        let scalars = character.unicodeScalars
        guard scalars.count > 1 else { return false }
        return scalars.contains("\u{FE0F}") || scalars.allSatisfy { 0x1F1E6...0x1F1FF ~= $0.value }
    }

    private static func isZeroWidth(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: true
        default: false
        }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x1100 else { return false }
        // A single regional indicator is shown as a letter.
        if scalar.properties.isEmojiPresentation { return !(0x1F1E6...0x1F1FF ~= scalar.value) }
        return wideRanges.contains { $0.contains(scalar.value) }
    }

    /// The blocks whose `East_Asian_Width` is wide or full-width, except for emoji.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1B000...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD,
    ]
}
