// SPDX-License-Identifier: Apache-2.0

public import Axiom

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

/// The words of an error view that do not come from the error itself. English by default.
///
/// The message and the suggestion of an error come from the error, in the language that `ErrorLocalization` prefers.
/// Set the labels of the same language as a value of the application:
/// ```swift
/// var german = ErrorLabels()
/// german.titles[.connection] = "Keine Verbindung"
/// german.optionTitles["Try again"] = "Erneut versuchen"
/// orchestrator.values[ErrorLabels.self] = german
/// ```
public struct ErrorLabels: Sendable, Hashable, AppValues.Key {
    /// English.
    public static let fallback = ErrorLabels()

    /// The title of each kind of error. A kind without one has the title of ``ErrorKind/failure``.
    public var titles: [ErrorKind: String] = [
        .connection: "No connection",
        .server: "The server reported an error",
        .timeout: "This took too long",
        .signIn: "Sign-in required",
        .permission: "Not permitted",
        .input: "Invalid input",
        .navigation: "This page cannot be shown",
        .unavailable: "Not available",
        .overload: "Temporarily unavailable",
        .state: "The data is not up to date",
        .settings: "Invalid settings",
        .update: "Update required",
        .program: "Internal error",
        .warning: "Warning",
        .failure: "Something went wrong",
    ]
    /// Replacements for the titles of options, by the title that the option was made with. Empty by default: options
    /// keep their titles.
    public var optionTitles: [String: String] = [:]
    /// The message of an error that has no text for the user.
    public var unknownMessage = "An unexpected error occurred."
    /// Shown instead of the options while a recovery runs.
    public var recovering = "Trying again…"

    /// English labels.
    public init() {}

    func title(of kind: ErrorKind) -> String {
        titles[kind] ?? titles[.failure] ?? Self.fallback.titles[kind] ?? unknownMessage
    }

    func title(of option: RecoveryOption) -> String { optionTitles[option.title] ?? option.title }
}
