// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// Text that a terminal shows.
enum Terminal {
    enum Color: String {
        case bold = "1"
        case red = "1;31"
        case green = "1;32"
        case yellow = "1;33"
        case blue = "1;34"
        case cyan = "1;36"
    }

    /// The text in one line, with tabs as four spaces and without characters that would move the cursor, change colors or
    /// reverse the direction of text.
    static func visible(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\t": result.append(contentsOf: "    ".unicodeScalars)
            case "\n", "\r": result.append(" ")
            default: result.append(isUnsafe(scalar) ? "\u{fffd}" : scalar)
            }
        }
        return String(result)
    }

    /// How many cells of a terminal the text takes.
    static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    /// Two cells for the wide characters of East Asia and for pictures; none for marks that stand alone.
    private static func width(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if character.unicodeScalars.contains("\u{fe0f}") || first.properties.isEmojiPresentation { return 2 }
        switch first.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return 2
        default:
            let category = first.properties.generalCategory
            return category == .nonspacingMark || category == .enclosingMark || category == .format ? 0 : 1
        }
    }
}

/// A line of source with the cells that a span covers in it.
struct MarkedLine {
    /// Long lines are cut on both sides of the mark.
    private static let limit = 160
    let text: String
    let markStart: Int
    let markWidth: Int

    init(_ line: String, _ span: SourceSpan) {
        let bytes = Array(line.utf8)
        // A position beyond the end of the line is at its end.
        let start = min(max(span.start.column - 1, 0), bytes.count)
        let isOneLine = span.end.line == span.start.line
        let end = min(max(isOneLine ? span.end.column - 1 : bytes.count, start), bytes.count)
        var before = Terminal.visible(Self.text(bytes[..<start]))
        var marked = Terminal.visible(Self.text(bytes[start..<end]))
        var after = Terminal.visible(Self.text(bytes[end...]))
        // The byte order mark is no character of the line.
        if before.hasPrefix("\u{fffd}"), bytes.starts(with: [0xEF, 0xBB, 0xBF]) { before.removeFirst() }
        if before.count > Self.limit / 2 { before = "…" + before.suffix(Self.limit / 2) }
        if marked.count > Self.limit { marked = marked.prefix(Self.limit) + "…" }
        if after.count > Self.limit / 2 { after = after.prefix(Self.limit / 2) + "…" }
        text = before + marked + after
        markStart = Terminal.width(before)
        markWidth = max(1, Terminal.width(marked))
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
