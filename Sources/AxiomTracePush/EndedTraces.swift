// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomInstrumentation

/// The kept traces of a telemetry that were not taken before.
final class EndedTraces: Sendable {
    /// The most traces that are taken at once. The recorder keeps fewer in its default memory.
    static let limit = 10_000

    private let telemetry: Telemetry
    /// The roots of the kept traces that were taken: two requests of one remote trace share its id. Guarded by its lock. It forgets those that are no longer kept, so that the memory of
    /// the recorder bounds it.
    private let taken = Lock<Set<UInt64>>([])

    init(_ telemetry: Telemetry) {
        self.telemetry = telemetry
    }

    /// The new traces, the oldest first, and what added to an instant gives nanoseconds since 1970. Cost: some milliseconds.
    func take() -> (traces: [KnownTrace], offset: Int64) {
        guard let spans = telemetry.readings.knownSpans else { return ([], 0) }
        let kept = spans.keptTraces(Self.limit)
        let new = taken.withLock { taken in
            let new = kept.filter { !taken.contains(Self.root(of: $0)) }
            taken = Set(kept.map(Self.root))
            return new
        }
        return (new.reversed(), Self.offset(telemetry.timeSource))
    }

    private static func root(of trace: KnownTrace) -> UInt64 { trace.root?.id ?? trace.id.low }

    private static func offset(_ clock: TimeSource) -> Int64 {
        let now = clock.now.nanoseconds
        let seconds = clock.secondsSinceEpoch
        // Beyond these bounds the conversion would trap. A manual clock can have any origin.
        guard abs(seconds) < 9e9 else { return 0 }
        return Int64(seconds * 1e9) &- now
    }
}
