// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics

/// How much a telemetry remembers of single operations.
public struct FlightRecorderOptions: Sendable, Hashable {
    /// The memory for spans in bytes: 512 KiB to 256 MiB, 4 MiB by default; with 0 nothing is recorded. Half of it holds
    /// the latest spans of 64 bytes, a quarter the open traces, a quarter the kept ones. The system provides a page when
    /// it is first used.
    public var memory: Int

    /// Makes the options. `Telemetry` throws a ``TelemetryError`` if the memory is out of range.
    public init(memory: Int = 4 << 20) { self.memory = memory }

    /// Records no spans.
    public static let off = FlightRecorderOptions(memory: 0)

    /// Whether the memory holds the smallest size of each part, and no part is larger than its indices allow.
    static let memoryRange = 1 << 19...1 << 28

    /// The recorder; nil if nothing is recorded. With a manual clock, at which many spans start at the same time, their ids
    /// give them their order.
    func recorder(_ clock: TimeSource) throws(TelemetryError) -> FlightRecorder? {
        guard memory != 0 else { return nil }
        guard Self.memoryRange.contains(memory) else { throw .invalidSpanMemory(memory) }
        return BuildInfo.isInstrumented ? try FlightRecorder(bytes: memory, isOrdered: clock.isManual) : nil
    }
}

/// Counts the dropped spans at a scrape.
final class SpanCollector: Collector {
    private let recorder: FlightRecorder
    /// The last value of `overwritten`, which decreases when spans are kept that have just left the ring. Guarded by the
    /// lock.
    private let lastOverwritten = Lock<UInt64>(0)

    init(_ recorder: FlightRecorder) { self.recorder = recorder }

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
