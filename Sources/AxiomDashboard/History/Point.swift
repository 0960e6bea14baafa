// SPDX-License-Identifier: Apache-2.0

/// One step of the charts of the whole process. Rates are per second; an unknown value is NaN.
struct Point: Sendable, Hashable {
    /// The series of the charts, in the order in which they are written.
    enum Series: Int, CaseIterable, Sendable {
        case calls, errors, p50, p90, p99, live, memory, cpu, threads, violations, rejected, dropped, events, delay

        var name: String { Self.names[rawValue] }

        private static let names = allCases.map { "\($0)" }
    }

    /// By the raw value of the series; the rest is unused. 64 bytes, inline.
    private var values = SIMD16<Float>(repeating: .nan)

    /// The value of a series; NaN for an unknown one.
    subscript(series: Series) -> Float { values[series.rawValue] }

    /// Sets a value to four digits; nil leaves it unknown.
    mutating func set(_ series: Series, _ value: Double?) {
        if let value { values[series.rawValue] = Float(value.significant()) }
    }

    /// Raises levels, such as memory, to their highest value in the seconds of this step, so that a longer step hides no
    /// peak. Rates and percentiles are those of the whole step.
    mutating func keepPeaks(of seconds: some Sequence<Point?>) {
        for second in seconds {
            for series in [Series.live, .memory, .threads] {
                guard let value = second?[series], !(value <= self[series]), !value.isNaN else { continue }
                values[series.rawValue] = value
            }
        }
    }

    /// `{"calls":212,…}`
    func write(to json: inout JSONText) {
        json.object { json in
            for series in Series.allCases { json.member(series.name) { $0.number(self[series]) } }
        }
    }
}

/// The points of the charts that a tick carries.
struct TickPoints: Sendable {
    var fine = Point()
    /// Once a minute.
    var coarse: Point?
}

extension TimeRing where Element == Point {
    /// `{"step":1,"start":T,"series":{"calls":[…],…}}`
    ///
    /// - Parameter now: The start of an empty ring: a reader joins it to what it has of an earlier run.
    func write(to json: inout JSONText, now: Double) {
        let points = values
        write(to: &json, start: count == 0 ? now : start) { json in
            for series in Point.Series.allCases where !points.isEmpty {
                json.member(series.name) { json in json.list(points) { $0.number($1?[series] ?? .nan) } }
            }
        }
    }
}

extension TimeRing {
    /// `{"step":1,"start":T,"series":{…}}`, with the series that `writeSeries` adds.
    func write(to json: inout JSONText, start: Double, _ writeSeries: (inout JSONText) -> Void) {
        json.object { json in
            json.member("step", step)
            json.member("start", start)
            json.member("series") { $0.object(writeSeries) }
        }
    }
}
