// SPDX-License-Identifier: Apache-2.0

internal import Axiom
package import AxiomInstrumentation

extension Dashboard {
    /// What a profiler sampled before, as `Dashboards/web/PROTOCOL.md` describes it; nil if no profiler runs. It takes
    /// milliseconds, and longer when the symbols of a module are first read.
    ///
    /// - Parameter format: `json`, or one that ``ProfileSource/file(_:format:)`` has.
    package func profile(_ query: ProfileQuery, format: String = "json") -> [UInt8]? {
        guard format == "json" else { return readings.profiler?.file(query, format: format) }
        return readings.profiler?.profile(query).json(origin.grid.seconds)
    }
}

extension ProfileQuery {
    /// Reads the parameters of a request.
    ///
    /// - Parameter value: The value of a parameter; nil without it.
    /// - Throws: ``QueryError`` that names the parameter and the permitted values.
    package init(_ value: (String) -> String?) throws(QueryError) {
        func number(_ name: String, _ range: ClosedRange<Int>, _ usual: Int) throws(QueryError) -> Int {
            guard let text = value(name) else { return usual }
            if let number = Int(text), range.contains(number) { return number }
            throw QueryError(name, text, "give a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        self.init()
        seconds = try number("seconds", 1...60, seconds)
        ago = try number("ago", 0...840, ago)
        action = value("action").flatMap { $0.isEmpty ? nil : $0 }
        guard let text = value("trace"), !text.isEmpty else { return }
        trace = TraceID(text)
        if trace == nil {
            throw QueryError("trace", text, "give the id of a trace: 32 hexadecimal digits that are not all 0")
        }
    }
}
