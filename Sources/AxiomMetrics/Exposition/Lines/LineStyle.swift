// SPDX-License-Identifier: Apache-2.0

/// In what the two formats of lines differ.
enum LineStyle: Hashable {
    case text
    case openMetrics

    /// The lines before a family's samples.
    ///
    /// - Parameters:
    ///   - name: As it stands on the lines, perhaps in quotes.
    ///   - base: The same without quotes.
    func header(_ definition: MetricDefinition, name: String, base: String) -> String {
        switch self {
        case .text:
            let help = LineEscaping.plain.escape(definition.help)
            return "# HELP \(name) \(help)\n# TYPE \(name) \(definition.kind.textName)\n"
        case .openMetrics:
            let type = "# TYPE \(name) \(definition.kind.openMetricsName)\n"
            let help = "# HELP \(name) \(LineEscaping.quoted.escape(definition.help))\n"
            // An escaping may take the unit from the end of the name, where it must stand.
            guard let unit = definition.unit, base.hasSuffix("_" + unit) else { return type + help }
            return type + "# UNIT \(name) \(unit)\n" + help
        }
    }
}
