// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation

/// How a report is written.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
    case junit
    case markdown
    case html
    case csv
    case prometheus
    case github
    case codequality

    /// The report in this format, ending with a line feed.
    func render(_ report: Report) -> String {
        switch self {
        case .text: TextReport(report).text
        case .json: Self.json(report)
        case .junit: JUnitReport.render(report)
        case .markdown: MarkdownReport.render(report)
        case .html: HTMLReport.render(report)
        case .csv: CSVReport.render(report)
        case .prometheus: PrometheusReport.render(report)
        case .github: Annotations.github(report)
        case .codequality: Annotations.codeQuality(report)
        }
    }

    static func json(_ report: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        return ((try? encoder.encode(report)).map { String(decoding: $0, as: UTF8.self) } ?? "{}") + "\n"
    }
}
