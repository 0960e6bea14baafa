// SPDX-License-Identifier: Apache-2.0

public import AxiomMetrics
public import CoreMetrics
public import Logging

/// Shows on a ``Registry`` what packages record through swift-metrics.
///
/// ```swift
/// let registry = Registry()
/// MetricsSystem.bootstrap(AxiomMetricsFactory(registry: registry))
/// Counter(label: "http.requests", dimensions: [("path", "/")]).increment()   // http_requests_total{path="/"} 1
/// ```
///
/// | swift-metrics | on the page |
/// |---|---|
/// | `Counter`, `FloatingPointCounter` | a counter; `_total` is appended where the label does not end so |
/// | `Gauge` (a `Recorder` that does not aggregate), `Meter` | a gauge |
/// | `Recorder` that aggregates | a histogram |
/// | `Timer` | a histogram in seconds; `_seconds` is appended where the label does not end so |
///
/// **Names.** Every character but ASCII letters, digits and underscores becomes an underscore, and a digit at the front
/// gets one before it: `http.requests` is `http_requests`. Two labels that become one name share a family when they are
/// of one kind, which the log says. Names of dimensions follow the same rule; those that begin with two underscores
/// keep one, and `le` and `quantile`, which histograms and summaries need, become `exported_le` and
/// `exported_quantile`. Dimensions of one series that become one name are joined by semicolons in the order of their
/// original names, as OpenTelemetry does. The order of dimensions makes no difference, their names may differ from
/// series to series, and one whose value is empty is absent.
///
/// **Nothing crashes.** A label that cannot be shown, because its name is taken by a metric of another type or with
/// other buckets, is an error in the log, once, and gets a handler that does nothing. Negative increments of counters,
/// negative times, and values of histograms that are infinite or NaN would spoil totals for good: they are refused,
/// counted in ``refusedValues`` and logged once for each metric. Meters ignore increments that are not positive and
/// finite, as swift-metrics demands.
///
/// **Nothing grows without bound.** A metric keeps as many series as ``SwiftMetricsOptions/seriesLimit`` says and the
/// factory as many metrics as ``SwiftMetricsOptions/metricLimit``.
///
/// **Costs.** A metric that is held costs what the registry's own instrument does, and a call through a protocol.
/// Making one for each event costs one look-up more; `destroy()` takes its series off the page.
public final class AxiomMetricsFactory: MetricsFactory {
    /// Where the metrics are shown.
    public let registry: Registry

    private let directory: FamilyDirectory
    private let counters: HandlerSource<CounterSeries>
    private let floatCounters: HandlerSource<FloatCounterSeries>
    private let gauges: HandlerSource<GaugeSeries>
    private let histograms: HistogramSource

    /// Makes a factory. Give each registry one: a second would still remember what the first has destroyed.
    ///
    /// - Parameters:
    ///   - registry: Where the metrics are shown.
    ///   - options: Buckets, help texts and limits.
    ///   - logger: Told once of each metric that cannot be shown or refuses a value.
    public init(
        registry: Registry,
        options: SwiftMetricsOptions = .standard,
        logger: Logger = Logger(label: "axiom.swift-metrics")
    ) {
        self.registry = registry
        let directory = FamilyDirectory(options: options, log: ProblemLog(logger))
        self.directory = directory
        counters = HandlerSource(directory, .counter) { name, help, _ throws(MetricsError) in
            try registry.openCounters(name, help: help, options: options.metric())
        }
        floatCounters = HandlerSource(directory, .floatCounter) { name, help, _ throws(MetricsError) in
            try registry.openFloatCounters(name, help: help, options: options.metric())
        }
        gauges = HandlerSource(directory, .gauge) { name, help, _ throws(MetricsError) in
            try registry.openGauges(name, help: help, options: options.metric())
        }
        histograms = Self.histograms(registry, directory, options)
    }

    /// How many values were refused: negative increments and times, and what is no finite number where it would spoil
    /// a total.
    public var refusedValues: UInt64 { directory.log.refusals }

    private static func histograms(
        _ registry: Registry,
        _ directory: FamilyDirectory,
        _ options: SwiftMetricsOptions
    ) -> HistogramSource {
        guard let bucketing = options.exponential else {
            let handlers = HistogramHandlers(directory) { name, help, unit, buckets throws(MetricsError) in
                try registry.openHistograms(name, help: help, buckets: buckets, options: options.metric(unit: unit))
            }
            return .classic(handlers)
        }
        let handlers = HistogramHandlers(directory) { name, help, unit, buckets throws(MetricsError) in
            try registry.openExponentialHistograms(
                name,
                help: help,
                bucketing: bucketing,
                buckets: buckets,
                options: options.metric(unit: unit)
            )
        }
        return .exponential(handlers)
    }
}

extension AxiomMetricsFactory {
    /// The counter of this label and these dimensions; one that does nothing where it cannot be shown.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        counters.handler(label, dimensions) ?? NOOPMetricsHandler.instance as any CounterHandler
    }

    /// The counter of this label and these dimensions; one that does nothing where it cannot be shown.
    public func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        floatCounters.handler(label, dimensions) ?? NOOPMetricsHandler.instance as any FloatingPointCounterHandler
    }

    /// The gauge of this label and these dimensions; one that does nothing where it cannot be shown.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        gauges.handler(label, dimensions) ?? NOOPMetricsHandler.instance as any MeterHandler
    }

    /// The histogram of this label and these dimensions, or the gauge where `aggregate` is false; one that does nothing
    /// where it cannot be shown.
    public func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        if aggregate { return histograms.recorder(label, dimensions) ?? NOOPMetricsHandler.instance }
        return gauges.handler(label, dimensions) ?? NOOPMetricsHandler.instance as any RecorderHandler
    }

    /// The histogram, in seconds, of this label and these dimensions; one that does nothing where it cannot be shown.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histograms.timer(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    /// Takes the counter off the page. Who still holds it records unseen.
    public func destroyCounter(_ handler: any CounterHandler) {
        if let handler = handler as? CounterSeries { counters.remove(handler) }
    }

    /// Takes the counter off the page. Who still holds it records unseen.
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {
        if let handler = handler as? FloatCounterSeries { floatCounters.remove(handler) }
    }

    /// Takes the gauge off the page. Who still holds it records unseen.
    public func destroyMeter(_ handler: any MeterHandler) {
        if let handler = handler as? GaugeSeries { gauges.remove(handler) }
    }

    /// Takes the histogram or gauge off the page. Who still holds it records unseen.
    public func destroyRecorder(_ handler: any RecorderHandler) {
        if let handler = handler as? GaugeSeries { return gauges.remove(handler) }
        histograms.remove(handler)
    }

    /// Takes the histogram off the page. Who still holds it records unseen.
    public func destroyTimer(_ handler: any TimerHandler) {
        histograms.remove(handler)
    }
}
