// SPDX-License-Identifier: Apache-2.0

/// The report as text of Prometheus (0.0.4), for the node exporter's textfile collector or a Pushgateway.
enum PrometheusReport {
    static func render(_ report: Report) -> String {
        var lines = [
            "# HELP axiom_bench_median The median of a metric of a benchmark, in the unit of its label.",
            "# TYPE axiom_bench_median gauge",
        ]
        for benchmark in report.benchmarks {
            for (name, metric) in benchmark.metrics.sorted(by: { $0.key < $1.key }) {
                let labels = [("benchmark", benchmark.id), ("metric", name), ("unit", metric.unit)]
                lines.append("axiom_bench_median\(text(labels)) \(metric.median)")
            }
        }
        lines += changes(report)
        lines += [
            "# HELP axiom_bench_exit_code How the run ended: 0 is well.", "# TYPE axiom_bench_exit_code gauge",
            "axiom_bench_exit_code \(report.exitCode)",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func changes(_ report: Report) -> [String] {
        let findings = report.findings.filter { $0.change != nil }
        guard !findings.isEmpty else { return [] }
        var lines = [
            "# HELP axiom_bench_change_ratio The relative change for the worse against the baseline.",
            "# TYPE axiom_bench_change_ratio gauge",
        ]
        for finding in findings {
            let labels = [
                ("benchmark", finding.benchmark), ("metric", finding.metric), ("verdict", finding.verdict.description),
            ]
            lines.append("axiom_bench_change_ratio\(text(labels)) \(finding.change ?? 0)")
        }
        return lines
    }

    private static func text(_ labels: [(String, String)]) -> String {
        "{" + labels.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        for character in value {
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
        return text
    }
}
