// SPDX-License-Identifier: Apache-2.0

internal import Axiom

extension ErrorPresentation {
    /// The error as lines of text, each at most `width` columns wide: icon and title, the message, the suggestion, the
    /// options with their numbers, and the code.
    ///
    /// ```
    /// ⌁ No connection
    ///   There is no connection to shop.example.
    ///   Check the network connection.
    ///   [1] Try again  [2] Dismiss
    ///   AXIOM_NETWORK_001
    /// ```
    /// Columns are counted by graphemes, as terminals do it: an East Asian character or an emoji has two. Characters of
    /// the error that would control the terminal are left out.
    ///
    /// - Parameters:
    ///   - width: The columns of the terminal. Below 8, the text is 8 columns wide.
    ///   - style: Whether the text has ANSI sequences. By default it has none.
    public func text(width: Int, style: TextStyle = .plain) -> String {
        let width = max(width, 8)
        let indented = { (text: String) in TextWrapping.lines(of: text, width: width - 2) }
        var lines = heading(width, style)
        lines += indented(message).map(Self.indent)
        lines += indented(suggestion ?? "").filter { !$0.isEmpty }.map(Self.indent)
        if isRecovering {
            lines += indented(recoveringLabel).map(Self.indent)
        } else {
            lines += optionLines(width - 2, style).map(Self.indent)
        }
        lines += indented(code.rawValue).map { Self.indent(style.apply(.faint, $0)) }
        return lines.joined(separator: "\n")
    }

    private func heading(_ width: Int, _ style: TextStyle) -> [String] {
        TextWrapping.lines(of: title, width: width - 2).enumerated().map { index, line in
            (index == 0 ? "\(kind.glyph) " : "  ") + style.apply(.bold, line)
        }
    }

    /// The options, as many on a line as fit. One that is wider than a line is wrapped.
    private func optionLines(_ width: Int, _ style: TextStyle) -> [String] {
        var lines: [(text: String, columns: Int)] = []
        for option in options {
            let parts = TextWrapping.lines(of: "[\(option.id)] \(option.title)", width: width)
            for (index, part) in parts.enumerated() {
                let columns = TextColumns.count(of: part)
                let text = option.isPrimary ? style.apply(.reverse, part) : part
                if index == 0, let last = lines.last, last.columns + 2 + columns <= width {
                    lines[lines.count - 1] = (last.text + "  " + text, last.columns + 2 + columns)
                } else {
                    lines.append((text, columns))
                }
            }
        }
        return lines.map(\.text)
    }

    private static func indent(_ line: String) -> String { line.isEmpty ? "" : "  " + line }
}

extension BoundaryPresentation {
    /// The current error and the notifications, as `ErrorPresentation.text` has them, with a blank line between two.
    /// Empty if there is nothing to show.
    ///
    /// - Parameters:
    ///   - width: The columns of the terminal.
    ///   - style: Whether the text has ANSI sequences.
    public func text(width: Int, style: TextStyle = .plain) -> String {
        var parts = ([error].compactMap(\.self) + notifications).map { $0.text(width: width, style: style) }
        if error == nil, isRecovering {
            parts.insert(TextWrapping.lines(of: recoveringLabel, width: max(width, 8)).joined(separator: "\n"), at: 0)
        }
        return parts.joined(separator: "\n\n")
    }
}

/// How a text is marked up.
public enum TextStyle: Sendable, Hashable, CaseIterable {
    /// Without escape sequences, for files, tests and terminals of any kind.
    case plain
    /// With the ANSI sequences for bold, faint and reverse text, for a terminal that supports them.
    case ansi

    /// The parts of an error that are marked up.
    enum Emphasis: Int {
        case bold = 1
        case faint = 2
        case reverse = 7
    }

    func apply(_ emphasis: Emphasis, _ text: String) -> String {
        switch self {
        case .plain: text
        case .ansi: text.isEmpty ? text : "\u{1B}[\(emphasis.rawValue)m\(text)\u{1B}[0m"
        }
    }
}
