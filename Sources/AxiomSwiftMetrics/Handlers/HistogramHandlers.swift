// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics
internal import CoreMetrics

/// The handlers that record into histograms, of whichever sort these are.
protocol HistogramSource: Sendable {
    func recorder(_ label: String, _ dimensions: [(String, String)]) -> (any RecorderHandler)?
    func timer(_ label: String, _ dimensions: [(String, String)]) -> (any TimerHandler)?
    func remove(_ handler: any RecorderHandler)
    func remove(_ handler: any TimerHandler)
}

/// The handlers that record into histograms of one sort.
final class HistogramHandlers<Child: ObservingInstrument>: HistogramSource {
    /// Registers histograms of the given name, help, unit and bounds.
    typealias Register =
        @Sendable (_ name: String, _ help: String, _ unit: String?, Buckets) throws(MetricsError) -> OpenFamily<Child>

    private let recorders: HandlerSource<RecorderSeries<Child>>
    private let timers: HandlerSource<TimerSeries<Child>>

    init(_ directory: FamilyDirectory, register: @escaping Register) {
        let options = directory.options
        recorders = HandlerSource(directory, .recorder) { name, help, label throws(MetricsError) in
            try register(name, help, nil, options.buckets[label] ?? options.recorderBuckets)
        }
        timers = HandlerSource(directory, .timer) { name, help, label throws(MetricsError) in
            try register(name, help, "seconds", options.buckets[label] ?? options.timerBuckets)
        }
    }

    func recorder(_ label: String, _ dimensions: [(String, String)]) -> (any RecorderHandler)? {
        recorders.handler(label, dimensions)
    }

    func timer(_ label: String, _ dimensions: [(String, String)]) -> (any TimerHandler)? {
        timers.handler(label, dimensions)
    }

    func remove(_ handler: any RecorderHandler) {
        if let handler = handler as? RecorderSeries<Child> { recorders.remove(handler) }
    }

    func remove(_ handler: any TimerHandler) {
        if let handler = handler as? TimerSeries<Child> { timers.remove(handler) }
    }
}
