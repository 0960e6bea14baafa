// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension Registry {
    /// A gauge whose value is asked for at every scrape.
    ///
    /// - Parameters:
    ///   - name: With its base unit as suffix, where it has one.
    ///   - help: What is measured, in a sentence. Shown on the page.
    ///   - read: The present value. Runs on the scraping thread, several times at once when scrapes overlap, and must
    ///     not wait. When it throws, the metric is missing from that page; the registry reports it, and
    ///     ``Snapshot/problems`` says why.
    /// - Throws: ``MetricsError`` when the name or the help is invalid, or the name is taken, also by a callback.
    public func gaugeCallback(
        _ name: String,
        help: String,
        file: String = #fileID,
        line: Int = #line,
        _ read: @escaping @Sendable () throws -> Double
    ) throws(MetricsError) {
        try add(name, .gauge, help, file, line, read)
    }

    /// A counter whose total is asked for at every scrape.
    ///
    /// - Parameters:
    ///   - name: Ends in `_total`.
    ///   - help: What is counted, in a sentence. Shown on the page.
    ///   - read: The present total, never negative and never less than before. Runs as that of
    ///     ``gaugeCallback(_:help:file:line:_:)``.
    /// - Throws: ``MetricsError`` when the name or the help is invalid, or the name is taken, also by a callback.
    public func counterCallback(
        _ name: String,
        help: String,
        file: String = #fileID,
        line: Int = #line,
        _ read: @escaping @Sendable () throws -> Double
    ) throws(MetricsError) {
        try add(name, .counter, help, file, line, read)
    }

    private func add(
        _ name: String,
        _ kind: MetricKind,
        _ help: String,
        _ file: String,
        _ line: Int,
        _ read: @escaping @Sendable () throws -> Double
    ) throws(MetricsError) {
        do throws(MetricsError) {
            let definition = try MetricDefinition(name, kind, .callback, help: help)
            try state.withLock { state throws(MetricsError) in
                try state.claims.claim(definition)
                state.callbacks[ByteName(name)] = Callback(definition: definition, read: read)
            }
        } catch {
            throw error.at(file, line)
        }
    }
}
