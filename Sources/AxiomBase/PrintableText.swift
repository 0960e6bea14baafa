// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// The text with all characters that change how a terminal or a log shows others written as `\\u{…}`: control characters,
    /// also those of C1, marks of the direction of text, and separators of lines and paragraphs. For texts that a client
    /// chose.
    package var printable: String {
        guard unicodeScalars.contains(where: \.isUnprintable) else { return String(self) }
        return unicodeScalars.map { scalar in
            scalar.isUnprintable ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }.joined()
    }
}

extension Unicode.Scalar {
    fileprivate var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isBidiControl
        }
    }
}

/// Text in XML and HTML.
package enum Markup {
    /// The text for an element, or for a quoted attribute. Characters that XML cannot hold, and control
    /// characters, become U+FFFD, which shows that there was something.
    package static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\n", "\t": escaped.unicodeScalars.append(scalar)
            case "\u{fffe}", "\u{ffff}": escaped += "\u{fffd}"
            case _ where scalar.properties.generalCategory == .control: escaped += "\u{fffd}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
