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
