// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics

/// How much a telemetry remembers of single operations.
public struct FlightRecorderOptions: Sendable, Hashable {
    /// The memory for spans in bytes; 4 MiB by default. Half of it holds the latest spans of 64 bytes, a quarter the open
    /// traces, a quarter the kept ones. The system provides a page when it is first used. With 0 or less nothing is
    /// recorded; less than about 300 KiB has no effect, because each part has a minimum.
    public var memory: Int

    /// Makes the options.
    public init(memory: Int = 4 << 20) {
        self.memory = memory
    }

    /// Records no spans.
    public static let off = FlightRecorderOptions(memory: 0)

    /// The memory that is used: at most 1 GiB.
    var bytes: Int { min(memory, 1 << 30) }
}

/// Counts the dropped spans at a scrape.
final class SpanCollector: Collector {
    private let recorder: FlightRecorder
    /// The last value of `overwritten`, which decreases when spans are kept that have just left the ring. Guarded by the
    /// lock.
    private let lastOverwritten = Lock<UInt64>(0)

    init(_ recorder: FlightRecorder) {
        self.recorder = recorder
    }

    func collect() -> [CollectedFamily] {
        let counts = recorder.counts
        var dropped = CollectedFamily.counter(
            "axiom_trace_spans_dropped_total",
            help: "Spans that are no longer known, by reason; overwritten is the normal end of a span.",
            labels: "reason"
        )
        let overwritten = lastOverwritten.withLock { last in
            last = max(last, counts.overwritten)
            return last
        }
        dropped.add(Double(counts.contended), "contended")
        dropped.add(Double(counts.displaced), "displaced")
        dropped.add(Double(overwritten), "overwritten")
        return [dropped]
    }
}
