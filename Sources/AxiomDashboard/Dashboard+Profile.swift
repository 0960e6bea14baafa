// SPDX-License-Identifier: Apache-2.0

internal import Axiom
package import AxiomInstrumentation

extension Dashboard {
    /// What a profiler sampled before, as `Dashboards/web/PROTOCOL.md` describes it; nil if no profiler runs. It takes
    /// milliseconds, and longer when the symbols of a module are first read.
    ///
    /// - Parameter format: `json`, or one that ``ProfileSource/file(of:format:)`` has.
    /// - Throws: ``QueryError`` for an action or a trace that is not known.
    package func profile(_ query: ProfileQuery, format: String = "json") throws(QueryError) -> [UInt8]? {
        guard let profiler = readings.profiler else { return nil }
        let profile = profiler.profile(query)
        if profile.stacks.isEmpty { try check(query) }
        return format == "json" ? profile.json(origin.grid.seconds) : profiler.file(of: profile, format: format)
    }

    /// What is known and was not sampled is no error.
    private func check(_ query: ProfileQuery) throws(QueryError) {
        if let trace = query.trace, readings.knownSpans?.trace(trace) == nil { throw .unknownTrace("trace", trace) }
        guard let action = query.action, case let known = readings.operations, !known.contains(action) else { return }
        let nearest = Nearest.names(to: action, among: known)
        let names = nearest.prefix(10).map { $0.clipped(60) }.joined(separator: ", ")
        let others = nearest.count > 10 ? " and \(nearest.count - 10) others" : ""
        let list = "it is not known, or no longer; known are \(names)\(others)"
        throw QueryError("action", action, nearest.isEmpty ? "no action has run yet" : list)
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
        action = value("action")
        guard let text = value("trace") else { return }
        trace = TraceID(text)
        if trace == nil {
            throw QueryError("trace", text, "give the id of a trace: 32 hexadecimal digits that are not all 0")
        }
    }
}
