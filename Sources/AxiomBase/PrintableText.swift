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
