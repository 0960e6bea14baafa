// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomStatistics
internal import Foundation

/// Saved histories as one file for a browser, which loads nothing: a picture of each benchmark.
enum HistoryPage {
    static func render(_ series: [SavedHistory.Series], metric: String, _ lines: [String]) -> String {
        let pictures = series.filter { !$0.points.isEmpty }.map { HistoryPicture($0, metric).figure }
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>axiom-bench history</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <style>\(HTMLReport.style)
            figure{margin:1.5em 0}text{font:11px system-ui,sans-serif;fill:currentColor}</style></head><body>
            <h1>axiom-bench history</h1>
            <ul>\(lines.map { "<li>\(Markup.escaped($0))</li>" }.joined())</ul>
            \(pictures.joined(separator: "\n"))
            </body></html>

            """
    }
}

/// The numbers of a benchmark as points, their levels as lines, and each move with the interval of its new level.
private struct HistoryPicture {
    private let series: SavedHistory.Series
    private let metric: String
    private let least: Double
    private let most: Double

    init(_ series: SavedHistory.Series, _ metric: String) {
        (self.series, self.metric) = (series, metric)
        let values = series.points.map(\.median)
        (least, most) = (values.min() ?? 0, values.max() ?? 0)
    }

    var figure: String {
        let name = Markup.escaped(series.benchmark)
        let marks = zip(series.ends, series.ends.dropFirst()).enumerated().map { index, ends in
            line(x(ends.0, -0.4), x(ends.1 - 1, 0.4), y(series.levels[index]), y(series.levels[index]))
        }
        return """
            <figure><figcaption>\(name)</figcaption>
            <svg viewBox="0 0 720 190" width="720" role="img" aria-label="history of \(name)">
            \((axes + series.moves.map(mark) + marks + points).joined(separator: "\n"))
            </svg></figure>
            """
    }

    /// The place of a file between the axes.
    private func x(_ index: Int, _ shift: Double = 0) -> Double {
        90 + 610 * (Double(index) + 0.5 + shift) / Double(series.points.count)
    }

    /// The place of a value; equal values are in the middle.
    private func y(_ value: Double) -> Double {
        let share = most > least ? min(1.05, max(-0.05, (value - least) / (most - least))) : 0.5
        return 134 - 116 * share
    }

    private func line(_ x1: Double, _ x2: Double, _ y1: Double, _ y2: Double, _ more: String = "") -> String {
        String(format: "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"currentColor\" ", x1, y1, x2, y2) + more + "/>"
    }

    private func text(_ text: String, _ x: Double, _ y: Double, _ anchor: String, _ more: String = "") -> String {
        String(format: "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"", x, y) + anchor
            + "\" \(more)>\(Markup.escaped(text))</text>"
    }

    private var points: [String] {
        series.points.enumerated().map { index, point in
            let title = Markup.escaped("\(point.file.name): \(Format.value(point.median, unit: series.unit))")
            let place = String(format: "cx=\"%.1f\" cy=\"%.1f\"", x(index), y(point.median))
            return "<circle \(place) r=\"2.5\" fill=\"currentColor\"><title>\(title)</title></circle>"
        }
    }

    private var axes: [String] {
        let ticks = (most > least ? [least, most] : [least]).map {
            text(Format.value($0, unit: series.unit), 82, y($0) + 4, "end")
        }
        let dates = series.points.map { String(SavedHistory.date(of: $0.file).prefix(10)) }
        return ticks + [
            line(90, 700, 140, 140), line(90, 90, 12, 140), text(dates[0], 90, 156, "start"),
            text(dates[dates.count - 1], 700, 156, "end"), text("saved files, the oldest first", 395, 184, "middle"),
            text("\(metric), \(series.unit)", -76, 12, "middle", "transform=\"rotate(-90)\""),
        ]
    }

    /// The place of a move, and the interval of its new level.
    private func mark(_ move: SavedHistory.Move) -> String {
        let (place, end) = (x(move.range.lowerBound, -0.5), x(move.range.upperBound - 1, 0.5))
        let label = Format.change(move.change) + (move.returned == nil ? "" : ", went away")
        let rule = line(place, place, 12, 140, "stroke-dasharray=\"4 3\"") + text(label, place, 170, "middle")
        guard let interval = move.interval,
            let old = zip(series.ends.dropFirst(), series.levels).first(where: {
                $0.0 == move.range.lowerBound
            })?.1
        else { return rule }
        let (low, high) = (y(old * (1 + interval.lowerBound)), y(old * (1 + interval.upperBound)))
        let band = String(format: "<path d=\"M%.1f %.1fH%.1fV%.1fH%.1fZ\"", place, high, end, low, place)
        return rule + band + " fill=\"\(move.returned == nil ? "#d0482f" : "#888")\" fill-opacity=\".3\"/>"
    }
}
