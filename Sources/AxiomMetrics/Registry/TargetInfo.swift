// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension Registry {
    /// The family of the resource of OpenTelemetry.
    package static let targetInfoName = "target_info"

    /// Registers the resource of OpenTelemetry, facts about the process, as the labels of the one series of `target_info`.
    /// Without a call there is none.
    ///
    /// `info()` of PromQL joins it with other series by `job` and `instance`. Names are converted as in
    /// https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/: a run of other characters than letters
    /// and digits becomes one underscore, and the values of names that become equal are joined by `;`. A name that begins with a
    /// digit gets the prefix `key_`, as in Prometheus.
    ///
    /// - Parameter attributes: Such as `["service.version": "1.4.2"]`. Without any, nothing is registered; one with an empty value
    ///   is left out. A value of more than 1,024 bytes is cut.
    /// - Throws: ``MetricsError`` if a name is empty or reserved (`le`, `quantile`), or `target_info` was registered with other
    ///   attributes.
    public func targetInfo(
        _ attributes: [String: String],
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) {
        guard attributes[""] == nil else {
            let problem = "\(Self.targetInfoName) has an attribute without a name: give it one, or leave it out."
            throw MetricsError(.invalidLabel, problem, family: Self.targetInfoName).at(file, line)
        }
        let labels = TargetInfo.labels(attributes)
        guard !labels.isEmpty else { return }
        let (name, help, names) = (Self.targetInfoName, TargetInfo.help, LabelDeclarations(names: labels.map(\.name)))
        let storage = try storage(.information, name, help, names, MetricOptions(), file, line)
        let set = LabelSet(template: storage.labels, values: labels.map { storage.bounded($0.value) })
        let present = state.withLock { state in
            if state.target == nil { state.target = set }
            return state.target
        }
        guard present == set else {
            let problem = "\(Self.targetInfoName) has other values already: a process has one, register it once."
            throw MetricsError(.conflictingDefinition, problem, family: Self.targetInfoName).at(file, line)
        }
        _ = storage.child(set)
    }
}

/// The conversion of the attributes of a resource to labels.
private enum TargetInfo {
    static let help = "What OpenTelemetry calls the resource: facts about the process."

    /// The labels, sorted by name. The values of one label are in the order of the names of their attributes.
    static func labels(_ attributes: [String: String]) -> [(name: String, value: String)] {
        let kept = attributes.filter { !$0.value.isEmpty }.sorted { ByteName($0.key) < ByteName($1.key) }
        return Dictionary(grouping: kept) { label($0.key) }
            .map { (name: $0.key, value: $0.value.map(\.value).joined(separator: ";")) }
            .sorted { $0.name < $1.name }
    }

    private static func label(_ attribute: String) -> String {
        var label = ""
        for scalar in NameEscaping.underscores.escape("_" + attribute).unicodeScalars.dropFirst()
        where scalar != "_" || label.last != "_" {
            label.unicodeScalars.append(scalar)
        }
        return label.first?.isNumber == true ? "key_" + label : label
    }
}
