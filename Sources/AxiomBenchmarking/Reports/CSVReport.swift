// SPDX-License-Identifier: Apache-2.0

/// Every measurement, one in a line (RFC 4180).
enum CSVReport {
    static func render(_ report: Report) -> String {
        var lines = ["benchmark,metric,unit,kind,sample,value,verdict,change"]
        for benchmark in report.benchmarks {
            for (name, metric) in benchmark.metrics.sorted(by: { $0.key < $1.key }) {
                let finding = report.findings.first { $0.benchmark == benchmark.id && $0.metric == name }
                let verdict = finding?.verdict.description ?? ""
                let change = finding?.change.map { "\($0)" } ?? ""
                for (index, value) in metric.samples.enumerated() {
                    let cells = [
                        benchmark.id, name, metric.unit, metric.kind, "\(index)", "\(value)", verdict, change,
                    ]
                    lines.append(cells.map(field).joined(separator: ","))
                }
            }
        }
        return lines.joined(separator: "\r\n") + "\r\n"
    }

    private static func field(_ text: String) -> String {
        guard text.contains(where: { ",\"\r\n".contains($0) || $0.isNewline }) else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
