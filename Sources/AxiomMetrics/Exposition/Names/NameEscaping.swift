// SPDX-License-Identifier: Apache-2.0

/// What becomes of names that are not of letters, digits and underscores, for readers that know no others.
///
/// The schemes and their names in HTTP headers are Prometheus'
/// (https://prometheus.io/docs/instrumenting/escaping_schemes/), the details those of its client libraries. Classic
/// names are the same in every scheme.
public struct NameEscaping: Hashable, Sendable, CustomStringConvertible {
    enum Scheme: Hashable {
        case none
        case underscores
        case dots
        case values
    }

    let scheme: Scheme

    /// Names are shown as they are, in quotes: for readers that ask for it, such as Prometheus 3.
    public static let allowUTF8 = NameEscaping(scheme: .none)
    /// Every other character becomes an underscore; what is shown to readers that ask for nothing else.
    public static let underscores = NameEscaping(scheme: .underscores)
    /// A dot becomes `_dot_`, an underscore and every other character two underscores.
    public static let dots = NameEscaping(scheme: .dots)
    /// `U__`, and then every other character by its code point, `_2e_` for a dot: nothing is lost.
    public static let values = NameEscaping(scheme: .values)

    /// All schemes that change names.
    static let changing = [underscores, dots, values]

    /// The scheme of this name in a header; nil when there is none.
    public init?(headerValue: some StringProtocol) {
        guard
            let found = [Self.allowUTF8, .underscores, .dots, .values].first(where: { $0.description == headerValue })
        else { return nil }
        self = found
    }

    private init(scheme: Scheme) {
        self.scheme = scheme
    }

    /// The name in the `escaping` parameter of HTTP headers.
    public var description: String {
        switch scheme {
        case .none: "allow-utf-8"
        case .underscores: "underscores"
        case .dots: "dots"
        case .values: "values"
        }
    }

    /// A name as the scheme shows it.
    func escape(_ name: String) -> String {
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
