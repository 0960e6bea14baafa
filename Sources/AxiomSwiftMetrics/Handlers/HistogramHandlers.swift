// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics
internal import CoreMetrics

/// The handlers that record into histograms, of whichever sort these are.
///
/// Not a protocol: with one the compiler could not specialise what follows, and a call would take three times as long.
enum HistogramSource: Sendable {
    case classic(HistogramHandlers<Histogram>)
    case exponential(HistogramHandlers<ExponentialHistogram>)

    func recorder(_ label: String, _ dimensions: [(String, String)]) -> (any RecorderHandler)? {
        switch self {
        case .classic(let handlers): handlers.recorders.handler(label, dimensions)
        case .exponential(let handlers): handlers.recorders.handler(label, dimensions)
        }
    }

    func timer(_ label: String, _ dimensions: [(String, String)]) -> (any TimerHandler)? {
        switch self {
        case .classic(let handlers): handlers.timers.handler(label, dimensions)
        case .exponential(let handlers): handlers.timers.handler(label, dimensions)
        }
    }

    func remove(_ handler: any RecorderHandler) {
        switch self {
        case .classic(let handlers): handlers.remove(handler)
        case .exponential(let handlers): handlers.remove(handler)
        }
    }

    func remove(_ handler: any TimerHandler) {
        switch self {
        case .classic(let handlers): handlers.remove(handler)
        case .exponential(let handlers): handlers.remove(handler)
        }
    }
}

/// The handlers that record into histograms of one sort.
final class HistogramHandlers<Child: ObservingInstrument>: Sendable {
    /// Registers histograms of the given name, help, unit and bounds.
    typealias Register =
        @Sendable (_ name: String, _ help: String, _ unit: String?, Buckets) throws(MetricsError) -> OpenFamily<Child>

    let recorders: HandlerSource<RecorderSeries<Child>>
    let timers: HandlerSource<TimerSeries<Child>>

    init(_ directory: FamilyDirectory, register: @escaping Register) {
        let options = directory.options
        recorders = HandlerSource(directory, .recorder) { name, help, label throws(MetricsError) in
            try register(name, help, nil, options.buckets[label] ?? options.recorderBuckets)
        }
        timers = HandlerSource(directory, .timer) { name, help, label throws(MetricsError) in
            try register(name, help, "seconds", options.buckets[label] ?? options.timerBuckets)
        }
    }

    func remove(_ handler: any RecorderHandler) {
        if let handler = handler as? RecorderSeries<Child> { recorders.remove(handler) }
    }

    func remove(_ handler: any TimerHandler) {
        if let handler = handler as? TimerSeries<Child> { timers.remove(handler) }
    }
}
