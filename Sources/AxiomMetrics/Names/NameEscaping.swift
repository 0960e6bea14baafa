// SPDX-License-Identifier: Apache-2.0

/// How names with other characters than letters, digits and underscores are shown to readers that do not support them.
///
/// The schemes and their names in HTTP headers are those of Prometheus
/// (https://prometheus.io/docs/instrumenting/escaping_schemes/), the details those of its client libraries. No scheme
/// changes classic names.
package struct NameEscaping: Hashable, Sendable, CustomStringConvertible {
    enum Scheme: Hashable {
        case none
        case underscores
        case dots
        case values
    }

    let scheme: Scheme

    /// Names are shown unchanged in quotes, for readers that request it, such as Prometheus 3.
    package static let allowUTF8 = NameEscaping(scheme: .none)
    /// Every other character becomes an underscore. The default.
    package static let underscores = NameEscaping(scheme: .underscores)
    /// A dot becomes `_dot_`, an underscore and every other character two underscores.
    package static let dots = NameEscaping(scheme: .dots)
    /// `U__`, and every other character by its code point, such as `_2e_` for a dot. The original name can be restored.
    package static let values = NameEscaping(scheme: .values)

    /// All schemes that change names.
    static let changing = [underscores, dots, values]

    /// The scheme with this name in HTTP headers; nil if there is none.
    package init?(headerValue: some StringProtocol) {
        guard
            let found = [Self.allowUTF8, .underscores, .dots, .values].first(where: { $0.description == headerValue })
        else { return nil }
        self = found
    }

    private init(scheme: Scheme) { self.scheme = scheme }

    /// The name in the `escaping` parameter of HTTP headers.
    package var description: String {
        switch scheme {
        case .none: "allow-utf-8"
        case .underscores: "underscores"
        case .dots: "dots"
        case .values: "values"
        }
    }

    package func escape(_ name: String) -> String {
        if scheme == .none || NameRules.isIdentifier(name) { return name }
        var escaped = scheme == .values ? "U__" : ""
        for (index, scalar) in name.unicodeScalars.enumerated() { append(scalar, isFirst: index == 0, to: &escaped) }
        return escaped
    }

    private func append(_ scalar: Unicode.Scalar, isFirst: Bool, to escaped: inout String) {
        let isClassic = NameRules.isClassic(scalar, isFirst: isFirst)
        switch scheme {
        case .dots where scalar == "_": escaped += "__"
        case .dots where scalar == ".": escaped += "_dot_"
        case .values where scalar == "_": escaped += "__"
        case _ where isClassic: escaped.unicodeScalars.append(scalar)
        case .values: escaped += "_\(String(scalar.value, radix: 16))_"
        case .dots: escaped += "__"
        case .none, .underscores: escaped += "_"
        }
    }
}

/// Which characters of a text on a line get a backslash.
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
