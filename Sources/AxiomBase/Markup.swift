// SPDX-License-Identifier: Apache-2.0

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
