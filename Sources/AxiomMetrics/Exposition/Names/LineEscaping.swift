// SPDX-License-Identifier: Apache-2.0

/// What gets a backslash in texts that stand on a line.
enum LineEscaping {
    /// Backslashes and line feeds: the help of text 0.0.4.
    case plain
    /// Quotes too: names in quotes, and the help of OpenMetrics.
    case quoted

    func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where self == .quoted: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
