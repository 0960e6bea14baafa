// SPDX-License-Identifier: Apache-2.0

/// What the charts of the whole process show of one step. Rates are per second; what is not known is NaN.
struct Point: Sendable, Hashable {
    /// The names of the series, in the order of `values`.
    static let names = [
        "calls", "errors", "p50", "p90", "p99", "live", "memory", "cpu", "threads", "violations", "rejected",
        "dropped", "events",
    ]

    /// One for each name; the rest is unused. 64 bytes, inline.
    private var values = SIMD16<Float>(repeating: .nan)

    subscript(place: Int) -> Float {
        get { values[place] }
        set { values[place] = newValue }
    }

    mutating func set(_ name: String, _ value: Double?) {
        guard let place = Self.names.firstIndex(of: name), let value else { return }
        values[place] = Float(value.significant())
    }

    /// `{"calls":212,…}`
    func write(to json: inout JSONText) {
        json.raw("{" as StaticString)
        for (place, name) in Self.names.enumerated() {
            if place > 0 { json.comma() }
            json.key(name)
            json.number(values[place])
        }
        json.raw("}" as StaticString)
    }
}

extension JSONText {
    /// A number of seven digits.
    mutating func number(_ value: Float) {
        guard value.isFinite else { return raw("null" as StaticString) }
        if let whole = Int64(exactly: value) { integer(whole) } else { raw(value.description) }
    }
}

extension TimeRing where Element == Point {
    /// `{"step":1,"start":T,"series":{"calls":[…],…}}`
    ///
    /// - Parameter now: Where an empty ring begins: a reader joins it to what it has of an earlier run.
    func write(to json: inout JSONText, now: Double) {
        writeHead(to: &json, start: count == 0 ? now : start)
        let points = values
        for (place, name) in Point.names.enumerated() where !points.isEmpty {
            if place > 0 { json.comma() }
            json.key(name)
            json.list(points) { $0.number($1?[place] ?? .nan) }
        }
        json.raw("}}" as StaticString)
    }
}

extension TimeRing {
    /// `{"step":1,"start":T,"series":{`
    func writeHead(to json: inout JSONText, start: Double) {
        json.raw("{\"step\":" as StaticString)
        json.number(step)
        json.raw(",\"start\":" as StaticString)
        json.number(start)
        json.raw(",\"series\":{" as StaticString)
    }
}

extension JSONText {
    /// `[…]`
    mutating func list<Elements: Sequence>(_ elements: Elements, _ write: (inout JSONText, Elements.Element) -> Void) {
        raw("[" as StaticString)
        var isFirst = true
        for element in elements {
            if !isFirst { comma() }
            isFirst = false
            write(&self, element)
        }
        raw("]" as StaticString)
    }
}
