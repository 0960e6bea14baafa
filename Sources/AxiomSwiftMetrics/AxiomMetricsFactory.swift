// SPDX-License-Identifier: Apache-2.0

public import AxiomMetrics
public import CoreMetrics
public import Logging

/// Records the metrics of swift-metrics in a ``Registry``.
///
/// ```swift
/// let registry = Registry()
/// MetricsSystem.bootstrap(AxiomMetricsFactory(registry: registry))
/// Counter(label: "http.requests", dimensions: [("path", "/")]).increment()   // http_requests_total{path="/"} 1
/// ```
///
/// | swift-metrics | on the page |
/// |---|---|
/// | `Counter`, `FloatingPointCounter` | a counter; `_total` is appended if the label does not end in it |
/// | `Gauge` (a `Recorder` that does not aggregate), `Meter` | a gauge |
/// | `Recorder` that aggregates | a histogram |
/// | `Timer` | a histogram in seconds; `_seconds` is appended if the label does not end in it |
///
/// **Names.** All characters except ASCII letters, digits and underscores become underscores, and an underscore precedes
/// a digit at the start: `http.requests` becomes `http_requests`. Two labels with the same name share a family if they
/// are of the same kind; the log reports it. Names of dimensions follow the same rule. Those that start with two
/// underscores keep one, and the reserved `le` and `quantile` become `exported_le` and `exported_quantile`. The values of
/// dimensions with the same name are joined by semicolons in the order of the original names, as in OpenTelemetry. The
/// order of dimensions makes no difference, their names may differ from series to series, and a dimension with an empty
/// value is absent.
///
/// **Errors.** A label whose name is taken by a metric of another type or with other buckets is logged once as an error
/// and gets a handler without effect. Negative increments of counters, negative times, and infinite or NaN values of
/// histograms would corrupt totals: they are refused, counted in ``refusedValues`` and logged once for each metric.
/// Meters ignore increments that are not positive and finite, as swift-metrics requires.
///
/// **Process metrics.** If the registry has a `ProcessCollector`, as that of a `Telemetry` has, the page shows its values for
/// `process_resident_memory_bytes` and its other names, and not those that a library records under the same names.
///
/// **Other factories.** `withMetricsFactory(_:_:)` of swift-metrics makes this factory that of a task, and
/// `withLabelAndDimensionsMapping(_:)` renames labels and adds dimensions before they reach it: options that are given by
/// label then need the mapped label.
///
/// **Limits.** The `seriesLimit` of ``SwiftMetricsOptions`` bounds the series of a metric, the `metricLimit` the number of
/// metrics.
///
/// **Costs.** Recording costs as much as with the registry's own instrument, plus a call through a protocol. Making a
/// metric for each event costs one more look-up. `destroy()` removes the series.
public final class AxiomMetricsFactory: MetricsFactory {
    let registry: Registry

    private let directory: FamilyDirectory
    private let counters: HandlerSource<CounterSeries>
    private let floatCounters: HandlerSource<FloatCounterSeries>
    private let gauges: HandlerSource<GaugeSeries>
    private let histograms: HistogramSource

    /// Makes a factory. Make only one per registry: a second one would keep series that the first has destroyed.
    ///
    /// - Parameters:
    ///   - registry: The registry of the metrics.
    ///   - options: Buckets, help texts and limits.
    ///   - logger: Logs once for each metric that cannot be shown or refuses a value.
    public init(
        registry: Registry,
        options: SwiftMetricsOptions = SwiftMetricsOptions(),
        logger: Logger = Logger(label: "axiom.swift-metrics")
    ) {
        self.registry = registry
        let directory = FamilyDirectory(options: options, log: FamilyProblemLog(logger))
        self.directory = directory
        counters = HandlerSource(directory, .counter) { name, help, _ throws(MetricsError) in
            try registry.open(.counter, name, help: help, options: options.metric())
        }
        floatCounters = HandlerSource(directory, .floatCounter) { name, help, _ throws(MetricsError) in
            try registry.open(.floatCounter, name, help: help, options: options.metric())
        }
        gauges = HandlerSource(directory, .gauge) { name, help, _ throws(MetricsError) in
            try registry.open(.gauge, name, help: help, options: options.metric())
        }
        histograms = Self.histograms(registry, directory, options)
    }

    /// The number of refused values: negative increments and times, and infinite or NaN values that would corrupt a
    /// total.
    package var refusedValues: UInt64 { directory.log.refusals }

    private static func histograms(
        _ registry: Registry,
        _ directory: FamilyDirectory,
        _ options: SwiftMetricsOptions
    ) -> HistogramSource {
        guard let bucketing = options.exponential else {
            let handlers = HistogramHandlers(directory) { name, help, unit, buckets throws(MetricsError) in
                try registry.open(.histogram(buckets), name, help: help, options: options.metric(unit: unit))
            }
            return .classic(handlers)
        }
        let handlers = HistogramHandlers(directory) { name, help, unit, buckets throws(MetricsError) in
            let recipe = MetricRecipe.exponentialHistogram(bucketing, buckets: buckets)
            return try registry.open(recipe, name, help: help, options: options.metric(unit: unit))
        }
        return .exponential(handlers)
    }

    /// The counter of this label and these dimensions; a handler without effect if it cannot be shown.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        counters.handler(label, dimensions) ?? NOOPMetricsHandler.instance as any CounterHandler
    }

    /// The counter of this label and these dimensions; a handler without effect if it cannot be shown.
    public func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        floatCounters.handler(label, dimensions) ?? NOOPMetricsHandler.instance as any FloatingPointCounterHandler
    }

    /// The gauge of this label and these dimensions; a handler without effect if it cannot be shown.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        gauges.handler(label, dimensions) ?? NOOPMetricsHandler.instance as any MeterHandler
    }

    /// The histogram of this label and these dimensions, or the gauge if `aggregate` is false; a handler without effect if
    /// it cannot be shown.
    public func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        if aggregate { return histograms.recorder(label, dimensions) ?? NOOPMetricsHandler.instance }
        return gauges.handler(label, dimensions) ?? NOOPMetricsHandler.instance as any RecorderHandler
    }

    /// The histogram, in seconds, of this label and these dimensions; a handler without effect if it cannot be shown.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histograms.timer(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    /// Removes the counter's series. Later values are not shown.
    public func destroyCounter(_ handler: any CounterHandler) {
        if let handler = handler as? CounterSeries { counters.remove(handler) }
    }

    /// Removes the counter's series. Later values are not shown.
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {
        if let handler = handler as? FloatCounterSeries { floatCounters.remove(handler) }
    }

    /// Removes the gauge's series. Later values are not shown.
    public func destroyMeter(_ handler: any MeterHandler) {
        if let handler = handler as? GaugeSeries { gauges.remove(handler) }
    }

    /// Removes the histogram's or gauge's series. Later values are not shown.
    public func destroyRecorder(_ handler: any RecorderHandler) {
        if let handler = handler as? GaugeSeries { return gauges.remove(handler) }
        histograms.remove(handler)
    }

    /// Removes the histogram's series. Later values are not shown.
    public func destroyTimer(_ handler: any TimerHandler) {
        histograms.remove(handler)
    }
}
