// SPDX-License-Identifier: Apache-2.0

/// Breaks a text into lines of a number of columns.
struct TextWrapping {
    /// Two: a wide grapheme cannot be broken.
    static let minimumWidth = 2

    /// The columns of a line.
    let width: Int
    private var lines: [String] = []
    private var line = ""
    private var columns = 0

    private init(_ width: Int) {
        self.width = max(width, Self.minimumWidth)
    }

    /// The lines of `text`, each at most `width` columns wide. Lines break at white space and between East Asian
    /// characters; a word that is wider than a line breaks between two graphemes. Line breaks of the text stay.
    static func lines(of text: String, width: Int) -> [String] {
        let paragraphs = visible(text).split(separator: "\n", omittingEmptySubsequences: false)
        return paragraphs.flatMap { paragraph in
            var wrapping = TextWrapping(width)
            for word in paragraph.split(whereSeparator: isSpace) { wrapping.add(word) }
            wrapping.endLine()
            return wrapping.lines
        }
    }

    /// The text without characters that control a terminal: an error may quote what a server sent.
    static func visible(_ text: String) -> String {
        var kept = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n", "\u{2028}", "\u{2029}", "\u{85}": kept.append("\n")
            case "\t": kept.append(" ")
            case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": continue
            default: if scalar.properties.generalCategory != .control { kept.append(scalar) }
            }
        }
        return String(kept)
    }

    /// A mark may follow a space and form a grapheme with it, which is not a space.
    private static func isSpace(_ character: Character) -> Bool {
        character.isWhitespace && character.unicodeScalars.count == 1
    }

    private mutating func add(_ word: Substring) {
        var needsSpace = columns > 0
        for piece in Self.pieces(of: word) {
            let size = TextColumns.count(of: piece)
            if columns + size + (needsSpace ? 1 : 0) > width, columns > 0 { endLine() }
            if needsSpace, columns > 0 { append(" ", 1) }
            needsSpace = false
            if size <= width { append(piece, size) } else { breakUp(piece) }
        }
    }

    private mutating func breakUp(_ piece: Substring) {
        for character in piece {
            let size = TextColumns.count(of: character)
            if columns + size > width { endLine() }
            append(String(character), size)
        }
    }

    private mutating func append(_ text: some StringProtocol, _ size: Int) {
        line += text
        columns += size
    }

    private mutating func endLine() {
        lines.append(line)
        line = ""
        columns = 0
    }

    /// The parts of a word between which a line may break.
    private static func pieces(of word: Substring) -> [Substring] {
        var pieces: [Substring] = []
        var start = word.startIndex
        for index in word.indices.dropFirst()
        where TextColumns.breaksAnywhere(word[index]) || TextColumns.breaksAnywhere(word[word.index(before: index)]) {
            // Not before a mark that ends a clause.
            if word[index].isPunctuation { continue }
            pieces.append(word[start..<index])
            start = index
        }
        return pieces + [word[start...]]
    }
}

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
